#!/usr/bin/env bash
# tools/packages.sh FOLDER: the Debian packages leeway and leeway-models for the release of Debian that this machine has.
set -euo pipefail
[ $# = 1 ] || { echo "usage: tools/packages.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
. .ci/steps.sh
quietly build/configure-packages.log cmake --preset release -B build/packages -DLEEWAY_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr
cmake --build build/packages -j "$(jobs_that_fit)"
quietly build/cpack.log cpack --config build/packages/CPackConfig.cmake -B "$out"
rm -rf "$out/_CPack_Packages"
ls -l "$out"/*.deb
