# shellcheck shell=bash
# Shared by demo.sh and test.sh: packages, the number of build jobs, and steps that say how long they took.
# Sourced from the project's root.

mkdir -p build

# step TITLE COMMAND...: says what happens, runs it, notes the seconds. The status is the command's.
step_times=()
step() {
  local title=$1 begin=$SECONDS status=0
  shift
  printf '== %s\n' "$title"
  "$@" || status=$?
  step_times+=("$(printf '%6d s  %s%s' $((SECONDS - begin)) "$title" "$([ $status = 0 ] || echo "  FAILED")")")
  return $status
}

print_step_times() {
  printf '\n'
  printf '%s\n' "${step_times[@]}"
  printf '%6d s  in all\n' "$SECONDS"
}

# quietly LOG COMMAND...: the output goes to a file, whose end is shown when the command fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 && return
  local status=$?
  tail -n 40 "$log" >&2
  echo "failed: $* (all of its output: $log)" >&2
  return $status
}

# packages_of demo|tests|all: the names in packages.txt up to the end of that part.
packages_of() {
  case $1 in
    demo) sed '/^# tests/,$d' packages.txt ;;
    tests) sed '/^# tier 2/,$d' packages.txt ;;
    *) cat packages.txt ;;
  esac | sed '/^#/d; /^$/d'
}

# is_here NAME...: whether one of the packages is installed. A program of that name from elsewhere counts as well.
is_here() {
  local name
  for name; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || command -v "$name" >/dev/null &&
      return
  done
  return 1
}

# missing_packages demo|tests|all: the lines of packages.txt that are not installed.
missing_packages() {
  local line
  for line in $(packages_of "$1"); do
    # shellcheck disable=SC2086
    is_here ${line//|/ } || printf '%s ' "$line"
  done
}

# available LINE...: of each line the first name that this release has.
available() {
  local line name
  for line; do
    for name in ${line//|/ }; do
      apt-cache show "$name" >/dev/null 2>&1 && break
    done
    printf '%s ' "$name"
  done
}

install_packages() {
  local missing as_root=()
  command -v dpkg-query >/dev/null || { echo "no dpkg here: install what packages.txt names by hand" >&2; return; }
  missing=$(missing_packages "$1")
  if [ -z "$missing" ]; then
    echo "all packages are installed"
    return
  fi
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "not root and no sudo; install as root: $missing" >&2; return 1; }
    as_root=(sudo)
  fi
  echo "installing: $missing"
  quietly build/apt.log "${as_root[@]}" apt-get update || return
  # shellcheck disable=SC2086
  quietly build/apt.log "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends $(available $missing) || return
  grep -E '^(Need to get|After this operation)' build/apt.log || true
}

# One job a core, but no more than memory holds: a file that includes LibTorch takes up to 2 GB to compile.
jobs_that_fit() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ {print int($2 / 2000000)}' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}
