#!/usr/bin/env bash
# From a bare Debian to a report: installs what is missing, builds leeway, runs examples/demo.sh with the arguments given.
set -euo pipefail
cd "$(dirname "$0")"
. .ci/steps.sh

configure() {
  # A tree that test.sh has configured keeps its tests; they are not built here.
  local tests=()
  [ -e build/release/CMakeCache.txt ] || tests=(-DLEEWAY_TESTS=OFF)
  quietly build/configure.log cmake --preset release "${tests[@]}"
}

build() {
  cmake --build --preset release -j "$(jobs_that_fit)" --target leeway leeway_nn leeway_model_process leeway_library man_page schemas
}

echo "leeway's demo: packages, build (some minutes the first time), then two networks trained and tested."
step "packages" install_packages demo
step "configure" configure
step "build" build
step "demo" env PATH="$PWD/build/release/bin:$PATH" examples/demo.sh "$@"
print_step_times
