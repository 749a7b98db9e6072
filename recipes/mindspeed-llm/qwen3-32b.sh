# What the runs of this folder have in common: read by each of them, in a clone of MindSpeed-LLM (MINDSPEED_LLM).
#   NODE_RANK, MASTER_ADDR   of this machine and of the first one
#   MODEL                    folder of the weights that the run begins with, as Hugging Face writes them
#   TOKENIZER                that of the tokenizer; MODEL
#   DATA                     prefix of what data.sh has written
#   OUT                      where weights go
set -euo pipefail
: "${MINDSPEED_LLM:?a clone of MindSpeed-LLM}" "${MODEL:?}" "${DATA:?}" "${OUT:?}"
cd "$MINDSPEED_LLM"
export CUDA_DEVICE_MAX_CONNECTIONS=1 HCCL_CONNECT_TIMEOUT=3600 PYTORCH_NPU_ALLOC_CONF=expandable_segments:True

launch=(
  --nnodes "$NNODES" --nproc_per_node "$NPUS_PER_NODE" --node_rank "${NODE_RANK:-0}"
  --master_addr "${MASTER_ADDR:-localhost}" --master_port "${MASTER_PORT:-6000}"
)

# the shape of Qwen3-32B
model=(
  --use-mcore-models --transformer-impl local --spec mindspeed_llm.tasks.models.spec.qwen3_spec layer_spec
  --num-layers 64 --hidden-size 5120 --ffn-hidden-size 25600 --num-attention-heads 64 --kv-channels 128
  --group-query-attention --num-query-groups 8 --qk-layernorm --swiglu --disable-bias-linear
  --normalization RMSNorm --norm-epsilon 1e-6 --position-embedding-type rope --rotary-base 1000000
  --max-position-embeddings 32768 --padded-vocab-size 151936 --make-vocab-size-divisible-by 1
  --untie-embeddings-and-output-weights --attention-softmax-in-fp32 --attention-dropout 0.0 --hidden-dropout 0.0
  --tokenizer-type PretrainedFromHF --tokenizer-name-or-path "${TOKENIZER:-$MODEL}" --tokenizer-not-use-fast --prompt-type qwen3
)

# ours: not published
machine=(
  --tensor-model-parallel-size "$TP" --pipeline-model-parallel-size "$PP" --sequence-parallel
  --use-distributed-optimizer --use-flash-attn --use-rotary-position-embeddings --use-fused-rotary-pos-emb
  --use-fused-swiglu --use-fused-rmsnorm --no-masked-softmax-fusion --no-gradient-accumulation-fusion
  --recompute-granularity full --recompute-method uniform --recompute-num-layers 1
  --distributed-backend nccl --bf16 --seed 42 --seq-length 16384 --no-pad-to-seq-lengths --pad-to-multiple-of "$TP"
)

# weights are converted when they are loaded
files=(
  --load "$MODEL" --save "$OUT" --enable-hf2mg-convert --model-type-hf qwen3 --ckpt-format torch
  --data-path "$DATA" --split 100,0,0 --no-shared-storage --no-load-optim --no-load-rng
  --log-interval 1 --eval-interval 1000000 --eval-iters 0
)
