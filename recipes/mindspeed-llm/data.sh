#!/usr/bin/env bash
# Tokens of what `vitest-npu dataset export --format mindspeed` has written, for MindSpeed-LLM.
#   data.sh sft <train_sft.jsonl> <prefix>
#   data.sh dpo <train_dpo.jsonl> <prefix>
#   MODEL   folder of the tokenizer
set -euo pipefail
: "${MINDSPEED_LLM:?a clone of MindSpeed-LLM}" "${MODEL:?}"
kind=${1:?sft or dpo} rows=$(realpath "${2:?the rows}") prefix=$(realpath -m "${3:?where tokens go}")
case $kind in
  sft) handler=AlpacaStyleInstructionHandler answers='"response":"output"' ;;
  dpo) handler=AlpacaStylePairwiseHandler answers='"chosen":"chosen","rejected":"rejected"' ;;
  *) echo "$kind is neither sft nor dpo" >&2 && exit 64 ;;
esac
keys="{\"prompt\":\"instruction\",\"query\":\"input\",\"system\":\"system\",$answers}"
mkdir -p "$(dirname "$prefix")"
cd "$MINDSPEED_LLM"
python preprocess_data.py --input "$rows" --output-prefix "$prefix" --handler-name "$handler" --map-keys "$keys" \
  --tokenizer-type PretrainedFromHF --tokenizer-name-or-path "$MODEL" --tokenizer-not-use-fast \
  --prompt-type qwen3 --enable-thinking true --seq-length 16384 --workers 16 --log-interval 1000
