#!/usr/bin/env bash
# Every check of the project. `./test.sh` runs all stages; `./test.sh tidy fuzz` runs those named, in this order:
#   release  everything, built as users run it; all tests
#   house    the house's rules: includes, format, README, examples of the documents, a program against the installed package
#   python   the Python package, built beside the release and installed into build/python: its tests, its stubs under mypy
#   instruction-sets  the kernels that other processors run: all tests without LibTorch under LEEWAY_INSTRUCTION_SET avx2 and
#            baseline, those of nn under other kernels of OpenBLAS and LibTorch; what the machine lacks is passed over
#   asan     the part without LibTorch by clang, under AddressSanitizer and UBSan; its tests, but for
#            the pages in a browser and the house's rules, which the first two stages look at
#   tsan     the tests of what runs in parallel, under ThreadSanitizer
#   tidy     clang-tidy over the part without LibTorch; clang's warnings count
#   fuzz     each fuzzer for LEEWAY_FUZZ_SECONDS (default 60), as many at a time as there are cores
# A stage that fails does not keep the next from running; the exit status is 1 and the last lines say which it was.
set -uo pipefail
cd "$(dirname "$0")" || exit 1
. .ci/steps.sh

stages=(release house python instruction-sets asan tsan tidy fuzz)
fuzz_seconds=${LEEWAY_FUZZ_SECONDS:-60}
jobs=$(jobs_that_fit)

# configure_and_build PRESET [TARGET...]: all targets where none is named
configure_and_build() {
  local preset=$1
  shift
  quietly "build/configure-$preset.log" cmake --preset "$preset" -DLEEWAY_TESTS=ON -DLEEWAY_TEST_SHARDS=4 -DLEEWAY_PYTHON=OFF &&
    cmake --build --preset "$preset" -j "$jobs" --target "${@:-all}"
}

# run_tests PRESET [CTEST ARGUMENT...]
run_tests() {
  local preset=$1
  shift
  ctest --test-dir "build/$preset" --no-tests=error --output-on-failure -j "$jobs" "$@" |
    sed -E '/^ *Start +[0-9]+:/d; / Passed +[0-9.]+ sec$/d; /^$/d'
}

stage_release() {
  if [ -e tests/report/package.json ]; then
    quietly build/npm.log npm --prefix tests/report ci --no-audit --no-fund || return
  fi
  configure_and_build release && run_tests release -LE house
}

stage_house() { configure_and_build release && run_tests release -L house; }

stage_instruction-sets() {
  configure_and_build release || return
  local set status=0
  for set in avx2 baseline; do
    has_instruction_set "$set" || continue
    echo "-- LEEWAY_INSTRUCTION_SET=$set"
    LEEWAY_INSTRUCTION_SET=$set run_tests release -LE '^(house|nn|browser)$' || status=1
  done
  nn_tests_under avx2 OPENBLAS_CORETYPE=Haswell ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 LEEWAY_INSTRUCTION_SET=avx2 || status=1
  nn_tests_under avx2 OPENBLAS_CORETYPE=Zen ATEN_CPU_CAPABILITY=default || status=1
  nn_tests_under avx512 OPENBLAS_CORETYPE=SkylakeX ATEN_CPU_CAPABILITY=avx2 || status=1
  return $status
}

stage_python() {
  python_programs || return
  local python=$PWD/build/python/bin/python site
  site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))') &&
    quietly build/configure-python.log cmake --preset release -DLEEWAY_TESTS=ON -DLEEWAY_PYTHON=ON -DPython_EXECUTABLE="$python" &&
    cmake --build --preset release -j "$jobs" --target leeway_package &&
    quietly build/install-python.log cmake --install build/release --component python --prefix "$site" &&
    "$python" -m pytest -q -p no:cacheprovider tests/python
}

# has_instruction_set SET: whether the machine does; says so where it does not.
has_instruction_set() {
  LEEWAY_INSTRUCTION_SET=$1 build/release/bin/leeway --version >/dev/null 2>&1 && return
  echo "-- passed over: the machine lacks $1"
  return 1
}

# nn_tests_under SET VARIABLE=VALUE...: the tests of nn and ONNX with these variables, on machines that have SET.
nn_tests_under() {
  has_instruction_set "$1" || return 0
  shift
  echo "-- $*"
  local test status=0
  for test in build/release/bin/nn_{test,training_test,onnx_test}; do  # nn_command_test drives the same kernels
    quietly "build/release/$(basename "$test").log" env RC_PARAMS=seed=1 "$@" "$test" --gtest_brief=1 \
      --gtest_filter="-PublishedResnets.*:All/EveryAlgorithm.*" || status=1  # those take minutes
  done
  return $status
}

stage_asan() { configure_and_build asan && run_tests asan -E '^fuzz_' -LE '^(house|browser)$'; }

stage_tsan() {
  local whole=(core_numbers_test core_io_test shift_test)  # of the others, what is about threads: their simulations take too long here
  local others=(agreement_test average_case_test error_bound_test)
  configure_and_build tsan "${whole[@]}" "${others[@]}" || return
  local test filter status=0
  for test in "${whole[@]}" "${others[@]}"; do
    filter='*'
    [[ " ${others[*]} " == *" $test "* ]] && filter='*hread*:Shards.*'
    quietly "build/tsan/$test.log" "build/tsan/bin/$test" --gtest_brief=1 --gtest_filter="$filter" || status=1
  done
  return $status
}

stage_tidy() {
  python_programs &&
    quietly build/configure-asan.log cmake --preset asan -DLEEWAY_TESTS=ON &&
    build/python/bin/run-clang-tidy.py -clang-tidy-binary build/python/bin/clang-tidy -quiet -p build/asan -j "$jobs" \
      "^$PWD/(leeway|apps|examples)/" 2>build/tidy.log | sed -E '/clang-tidy /d; /^\[ *[0-9]+\/[0-9]+\]/d; /^$/d'
}

# python_programs: what tests/requirements*.txt name, in a virtual environment that sees Debian's packages as well.
python_programs() {
  local wanted
  wanted=$(cat tests/requirements*.txt | sha256sum)
  [ "$(cat build/python/made-of 2>/dev/null)" = "$wanted" ] && return
  quietly build/python.log /usr/bin/python3 -m venv --clear --system-site-packages build/python &&
    quietly build/python.log build/python/bin/pip install --require-hashes --no-deps --disable-pip-version-check \
      --ignore-installed -r tests/requirements.txt -r tests/requirements-python.txt && echo "$wanted" >build/python/made-of
}

stage_fuzz() {
  configure_and_build asan fuzzers || return
  local fuzzers=(build/asan/bin/fuzz_*)
  [ -x "${fuzzers[0]}" ] || { echo "no fuzzer was built" >&2; return 1; }
  mkdir -p build/fuzz
  export -f quietly run_fuzzer
  export fuzz_seconds
  printf '%s\n' "${fuzzers[@]}" | xargs -P "$jobs" -I {} bash -c 'run_fuzzer {}'
}

# One fuzzer, its corpus in build/fuzz/NAME; says how many inputs it ran.
run_fuzzer() {
  local name log
  name=$(basename "$1")
  log=build/fuzz/$name.log
  quietly "$log" tests/fuzz/run_fuzzer.sh "$1" "$fuzz_seconds" "build/fuzz/$name" || return
  echo "$name: $(sed -nE 's/^Done ([0-9]+) runs in ([0-9]+) second.*/\1 runs in \2 s/p' "$log")"
}

if [ $# -gt 0 ]; then
  for wanted in "$@"; do
    [[ " ${stages[*]} " == *" $wanted "* ]] || { echo "no stage $wanted; there are: ${stages[*]}" >&2; exit 2; }
  done
  chosen=$*
else
  chosen=${stages[*]}
fi

failed=()
step "packages" install_packages all || exit 1
for stage in "${stages[@]}"; do
  [[ " $chosen " == *" $stage "* ]] || continue
  step "$stage" "stage_$stage" || failed+=("$stage")
done
print_step_times
if [ ${#failed[@]} -gt 0 ]; then
  echo "FAILED: ${failed[*]}"
  exit 1
fi
echo "all stages passed"
