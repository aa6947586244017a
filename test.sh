#!/usr/bin/env bash
# ./test.sh           tier 1, what every change must pass: one build, all in-process tests, command smokes, project checks, Python
# ./test.sh all       tier 1, then tier 2
# ./test.sh STEP...   the named steps
# Tier 1: build tests checks python
# Tier 2: tests2            slow suites, the page in a browser, Slurm, resume of every algorithm
#         python2           every option, notebooks, mypy, adapters
#         golden            outputs of every command, compared with the stored ones
#         instruction-sets  the kernels that processors without AVX-512 run
#         plain             a build without unity batches, which shows missing includes
#         asan, tsan        the torch-free part under AddressSanitizer and UBSan, and under ThreadSanitizer
#         tidy              clang-tidy over the torch-free part; clang's warnings count
#         hostile           changed command lines, damaged files, mutated records; kills
#         fuzz              each fuzzer for LEEWAY_FUZZ_SECONDS (60)
#         site              the documentation site, build/site; links are checked. Needs the step build
# A step that fails does not stop the next one. The last lines name the failed steps; the exit status is then 1.
set -uo pipefail
cd "$(dirname "$0")" || exit 1
. .ci/steps.sh

tier1=(build tests checks python)
tier2=(tests2 python2 golden instruction-sets plain asan tsan tidy hostile fuzz site)
preset=${LEEWAY_PRESET:-release}  # ci: with warnings as errors
jobs=$(jobs_that_fit)
venv=$PWD/build/python

# configure PRESET [CMAKE ARGUMENT...]
configure() { quietly "build/configure-$1.log" cmake --preset "$1" -DLEEWAY_TESTS=ON "${@:2}"; }

# run_tests BUILD_FOLDER [CTEST ARGUMENT...]
run_tests() {
  ctest --test-dir "$1" --no-tests=error --output-on-failure -j "$jobs" "${@:2}" |
    sed -E '/^ *Start +[0-9]+:/d; / Passed +[0-9.]+ sec$/d; /^$/d'
}

step_build() {
  python_programs && configure "$preset" -DLEEWAY_PYTHON=ON -DPython_EXECUTABLE="$venv/bin/python" &&
    cmake --build build/release -j "$jobs" && install_python
}

install_python() {
  quietly build/install-python.log cmake --install build/release --component python \
    --prefix "$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')"
}

step_tests() { run_tests build/release -L tier1; }
step_checks() { run_tests build/release -L house; }
step_python() { "$venv/bin/python" -m pytest -q -p no:cacheprovider -m "not tier2" tests/python; }

step_tests2() {
  quietly build/npm.log npm --prefix tests/report ci --no-audit --no-fund &&
    cmake --build build/release -j "$jobs" --target leeway_examples report_page_maker && run_tests build/release -L tier2
}
step_python2() { python_programs && "$venv/bin/python" -m pytest -q -p no:cacheprovider -m tier2 tests/python; }
step_golden() { /usr/bin/python3 tests/golden/golden.py compare build/release/bin; }

step_instruction-sets() {
  local set status=0
  for set in avx2 baseline; do
    has_instruction_set "$set" || continue
    echo "-- LEEWAY_INSTRUCTION_SET=$set"
    LEEWAY_INSTRUCTION_SET=$set run_tests build/release -L tier1 -LE nn || status=1
  done
  nn_tests_under avx2 OPENBLAS_CORETYPE=Haswell ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 LEEWAY_INSTRUCTION_SET=avx2 || status=1
  nn_tests_under avx2 OPENBLAS_CORETYPE=Zen ATEN_CPU_CAPABILITY=default || status=1
  nn_tests_under avx512 OPENBLAS_CORETYPE=SkylakeX ATEN_CPU_CAPABILITY=avx2 || status=1
  return $status
}

# has_instruction_set SET: whether this machine has the instruction set; prints a line if not.
has_instruction_set() {
  LEEWAY_INSTRUCTION_SET=$1 build/release/bin/leeway --version >/dev/null 2>&1 && return
  echo "-- skipped: this machine has no $1"
  return 1
}

# nn_tests_under SET VARIABLE=VALUE...: the tests of nn and ONNX with these variables, on machines that have SET.
nn_tests_under() {
  has_instruction_set "$1" || return 0
  echo "-- ${*:2}"
  local test status=0
  for test in nn_test nn_training_test nn_onnx_test; do
    quietly "build/release/$test.log" env "${@:2}" "build/release/bin/$test" --gtest_brief=1 \
      --gtest_filter=-*Tier2* || status=1
  done
  return $status
}

step_plain() {
  configure full -DLEEWAY_UNITY=OFF -DLEEWAY_TESTS=OFF -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-fsyntax-only &&
    cmake --build build/full -j "$jobs" --target leeway_nn_objects && step_build_asan
}

step_build_asan() { configure asan && cmake --build build/asan -j "$jobs"; }
step_asan() { step_build_asan && run_tests build/asan -L tier1; }

step_tsan() {
  # ThreadSanitizer cannot see how the threads of OpenBLAS wait for each other.
  echo race:libopenblas >build/tsan-suppressions
  local -x TSAN_OPTIONS=suppressions=$PWD/build/tsan-suppressions
  local whole=(core_test io_test shift_test) threads=(agreement_test average_case_test error_bound_test) test status=0
  configure tsan && cmake --build build/tsan -j "$jobs" --target "${whole[@]}" "${threads[@]}" || return
  for test in "${whole[@]}"; do
    quietly "build/tsan/$test.log" "build/tsan/bin/$test" --gtest_brief=1 --gtest_filter=-*Tier2* || status=1
  done
  for test in "${threads[@]}"; do  # their simulations take too long here
    quietly "build/tsan/$test.log" "build/tsan/bin/$test" --gtest_brief=1 --gtest_filter='*hread*:Shards.*' || status=1
  done
  return $status
}

# clang-tidy reads the unity batches, so that each header is parsed once a batch; the filter names the .cpp files in them.
step_tidy() {
  python_programs && configure asan &&
    "$venv/bin/run-clang-tidy.py" -clang-tidy-binary "$venv/bin/clang-tidy" -quiet -p build/asan -j "$jobs" \
      -header-filter='/(leeway|apps|examples)/.*\.(h|cpp)$' -checks=-bugprone-suspicious-include \
      "^$PWD/((leeway|apps|examples)/|build/asan/(leeway|apps)/.*/Unity/)" 2>build/tidy.log |
    sed -E '/clang-tidy /d; /^\[ *[0-9]+\/[0-9]+\]/d; /^$/d'
}

step_hostile() {
  local status=0
  /usr/bin/python3 tests/hostile/hostile.py build/release/bin || status=1
  /usr/bin/python3 tests/hostile/kills.py build/release/bin || status=1
  /usr/bin/python3 tests/hostile/endpoint.py build/release/bin || status=1
  return $status
}

step_fuzz() {
  configure asan && cmake --build build/asan -j "$jobs" --target fuzzers || return
  mkdir -p build/fuzz
  export -f quietly run_fuzzer
  fuzz_seconds=${LEEWAY_FUZZ_SECONDS:-60}
  export fuzz_seconds
  printf '%s\n' build/asan/bin/fuzz_* | xargs -P "$jobs" -I {} bash -c 'run_fuzzer {}'
}

step_site() { python_programs && quietly build/site.log env NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build; }

# run_fuzzer PROGRAM: its corpus is in build/fuzz/NAME; prints the number of inputs.
run_fuzzer() {
  local name log
  name=$(basename "$1")
  log=build/fuzz/$name.log
  quietly "$log" tests/fuzz/run_fuzzer.sh "$1" "$fuzz_seconds" "build/fuzz/$name" || return
  echo "$name: $(sed -nE 's/^Done ([0-9]+) runs in ([0-9]+) second.*/\1 runs in \2 s/p' "$log")"
}

# python_programs: a virtual environment with the packages of tests/requirements.txt, which also sees Debian's Python packages.
python_programs() {
  local made_of=build/python/made-of wanted
  wanted=$(requirements_of "$part" | sha256sum)
  grep -qxF "$wanted" "$made_of" 2>/dev/null && return
  if ! grep -qxF "$(requirements_of tests | sha256sum)" "$made_of" 2>/dev/null; then
    quietly build/python.log /usr/bin/python3 -m venv --clear --system-site-packages build/python || return
  fi
  requirements_of "$part" >build/requirements.txt
  # Python compiles the few modules that tests import when they are imported.
  quietly build/python.log build/python/bin/pip install --require-hashes --no-deps --disable-pip-version-check \
    --ignore-installed --no-compile -r build/requirements.txt || return
  { requirements_of tests | sha256sum; echo "$wanted"; } >"$made_of"
}

# requirements_of tests|all: the lines of tests/requirements.txt up to the end of that part.
requirements_of() {
  if [ "$1" = tests ]; then sed '/^# tier 2/,$d' tests/requirements.txt; else cat tests/requirements.txt; fi
}

case ${1:-} in
  "") chosen=("${tier1[@]}") ;;
  all) chosen=("${tier1[@]}" "${tier2[@]}") ;;
  *) chosen=("$@") ;;
esac
for step in "${chosen[@]}"; do
  [[ " ${tier1[*]} ${tier2[*]} " == *" $step "* ]] || { echo "no step $step; steps: ${tier1[*]} ${tier2[*]}" >&2; exit 2; }
done

failed=()
part=tests
for step in "${chosen[@]}"; do [[ " ${tier2[*]} " == *" $step "* ]] && part=all; done
step "packages" install_packages "$part" || exit 1
for step in "${chosen[@]}"; do
  step "$step" "step_$step" || failed+=("$step")
done
print_step_times
if [ ${#failed[@]} -gt 0 ]; then
  echo "FAILED: ${failed[*]}"
  exit 1
fi
echo "all steps passed"
