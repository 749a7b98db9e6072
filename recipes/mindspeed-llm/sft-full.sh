#!/usr/bin/env bash
# Supervised fine-tuning of all weights, for MindSpeed-LLM; on each of four machines.
# Weights as Hugging Face reads them are in OUT/mg2hf_iteration<n>.
#   ROWS   rows of the training data: two epochs of them are read
NNODES=4 NPUS_PER_NODE=8 TP=8 PP=2
source "$(dirname "${BASH_SOURCE[0]}")/qwen3-32b.sh"
: "${ROWS:?rows of the training data}"

# as published
published=(
  --lr 1.25e-6 --lr-decay-style cosine --min-lr 0 --lr-warmup-fraction 0.01
  --weight-decay 0.1 --clip-grad 1.0 --micro-batch-size 1 --global-batch-size 128
)

iterations=$(((ROWS * 2 + 127) / 128))
torchrun "${launch[@]}" posttrain_gpt.py "${model[@]}" "${machine[@]}" "${files[@]}" "${published[@]}" \
  --finetune --enable-mg2hf-convert --stage sft --is-instruction-dataset --train-iters "$iterations" --save-interval "$iterations"
