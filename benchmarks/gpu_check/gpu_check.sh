#!/bin/sh
# Everything that needs a GPU: tests, compute-sanitizer and benchmarks, results in folder $1.
# Further arguments go to gpu_check.py, such as --parts tests,sanitizer.
set -eu
out=${1:?"usage: gpu_check.sh OUT [options of gpu_check.py]"}
shift
exec "${PYTHON:-python3}" "$(dirname "$0")/gpu_check.py" --out "$out" "$@"
