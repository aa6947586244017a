#!/bin/sh
# run_fuzzer.sh FUZZER SECONDS CORPUS: runs one libFuzzer target from its corpus, the seeds beside this file and
# tests/reference/core (fuzz_checkpoint: tests/reference/checkpoints; fuzz_onnx: tests/reference/onnx). What it finds
# stays beside the corpus folder as NAME-crash-..., NAME-timeout-...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
name=$(basename "$1")
longest=4096 samples=$here/../reference/core
[ "$name" != fuzz_json ] || longest=16384 # a record is long
[ "$name" != fuzz_byte_pairs ] || longest=10240 # so are the ids of all bytes
[ "$name" != fuzz_checkpoint ] || longest=6144 samples=$here/../reference/checkpoints
[ "$name" != fuzz_onnx ] || longest=16384 samples=$here/../reference/onnx
mkdir -p "$3"
exec "$1" -max_total_time="$2" -max_len=$longest -timeout=20 -rss_limit_mb=2048 -dict="$here/formats.dict" \
  -artifact_prefix="$(dirname "$3")/$name-" "$3" "$here/seeds" "$samples"
