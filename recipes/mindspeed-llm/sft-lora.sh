#!/usr/bin/env bash
# Supervised fine-tuning of a low-rank adapter, for MindSpeed-LLM; on one machine.
# MindSpeed-LLM does not convert an adapter while it trains: ckpt_convert_qwen3_mcore2hf_lora.sh of its examples does.
#   ROWS   rows of the training data: two epochs of them are read
NNODES=1 NPUS_PER_NODE=8 TP=4 PP=1
source "$(dirname "${BASH_SOURCE[0]}")/qwen3-32b.sh"
: "${ROWS:?rows of the training data}"

# as published
published=(
  --lr 1.25e-5 --lr-decay-style cosine --min-lr 0 --lr-warmup-fraction 0.01
  --weight-decay 0.1 --clip-grad 1.0 --micro-batch-size 1 --global-batch-size 128
)

# ours: not published
adapter=(--lora-r 16 --lora-alpha 32 --lora-fusion --lora-target-modules linear_qkv linear_proj linear_fc1 linear_fc2)

iterations=$(((ROWS * 2 + 127) / 128))
torchrun "${launch[@]}" posttrain_gpt.py "${model[@]}" "${machine[@]}" "${files[@]}" "${published[@]}" "${adapter[@]}" \
  --finetune --stage sft --is-instruction-dataset --train-iters "$iterations" --save-interval "$iterations"
