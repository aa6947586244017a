#!/usr/bin/env bash
# tests/arm64.sh FOLDER [PROGRAM...]: compiles the part without LibTorch for 64-bit ARM and runs test programs in an emulator:
# agreement, average_case, core and error_bound. By hand, on Debian 12 with g++-aarch64-linux-gnu and qemu-user: two to three hours.
#
# FOLDER keeps the arm64 packages, the build and a log of each test program; a second run builds what changed.
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: tests/arm64.sh FOLDER [PROGRAM...]" >&2; exit 2; }
mkdir -p "$1"
home=$(cd "$1" && pwd)
shift
programs=("$@")
[ $# -gt 0 ] || programs=(agreement average_case core error_bound)
cd "$(dirname "$0")/.."
. .ci/steps.sh
root=$home/root

# The packages are unpacked, not installed: an apt of its own, which starts from an empty list of installed packages.
fetch_packages() {
  local lines
  mkdir -p "$root" "$home"/state/lists/partial "$home"/cache/archives/partial
  touch "$home/state/status"
  cat >"$home/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
Dir::State "$home/state";
Dir::State::status "$home/state/status";
Dir::Cache "$home/cache";
CONF
  export APT_CONFIG=$home/apt.conf
  apt-get update || return
  lines=$(packages_of tests | grep -E '^lib|-dev$' | grep -vE 'torch|python')
  # shellcheck disable=SC2046,SC2086
  apt-get install -y --download-only $(available ${lines//$'\n'/ }) libstdc++-12-dev || return
  local package
  for package in "$home"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$root" || return
  done
  # Links to absolute paths would lead out of the folder.
  find "$root" -type l -lname '/*' -printf '%p %l\n' | while read -r link target; do
    ln -sfn "$root$target" "$link"
  done
  touch "$home/fetched"
}

build() {
  cat >"$home/toolchain.cmake" <<CMAKE
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT "$root")
set(CMAKE_FIND_ROOT_PATH "$root")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;$root")
CMAKE
  export PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig:$root/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
  cmake -S . -B "$home/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$home/toolchain.cmake" \
    -DLEEWAY_NN=OFF -DLEEWAY_TESTS=ON &&
    cmake --build "$home/build" -j "$(jobs_that_fit)" --target leeway "${programs[@]/%/_test}"
}

# On one processor, because emulated threads lose their time in waiting for each other. In the emulator posix_spawn() does not say
# that a program is missing: its child is a fork.
run() {
  local status=0
  taskset -c 0 qemu-aarch64 -L "$root" "$home/build/bin/${1}_test" --gtest_filter=-ChildProcess.ThatIsMissingIsAnError \
    >"$home/$1.log" 2>&1 || status=$?
  grep -E '^\[ +(PASSED|FAILED) +\]|tests ran' "$home/$1.log" || tail -n 3 "$home/$1.log"
  return $status
}

failed=0
[ -e "$home/fetched" ] || step "arm64 packages" quietly "$home/apt.log" fetch_packages
step "build" quietly "$home/build.log" build
for program in "${programs[@]}"; do
  step "$program" run "$program" || failed=1
done
print_step_times
exit $failed
