#!/usr/bin/env bash
# Direct preference optimisation of what sft-full.sh has made, for MindSpeed-LLM; on each of four machines.
# Weights as Hugging Face reads them are in OUT/mg2hf_iteration<n>.
NNODES=4 NPUS_PER_NODE=8 TP=8 PP=2
source "$(dirname "${BASH_SOURCE[0]}")/qwen3-32b.sh"

# as published
published=(
  --dpo-beta 0.1 --dpo-loss-type sigmoid --lr 1e-6 --lr-decay-style cosine --min-lr 0 --lr-warmup-fraction 0.1
  --micro-batch-size 1 --global-batch-size 64 --train-iters 150
)

# ours: not published
rest=(--weight-decay 0.0 --clip-grad 1.0 --save-interval 50)

torchrun "${launch[@]}" posttrain_gpt.py "${model[@]}" "${machine[@]}" "${files[@]}" "${published[@]}" "${rest[@]}" \
  --finetune --enable-mg2hf-convert --stage dpo --is-pairwise-dataset
