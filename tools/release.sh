#!/usr/bin/env bash
# tools/release.sh raise VERSION           # writes the version to CMakeLists.txt, CITATION.cff and CHANGELOG.md, and commits
# tools/release.sh FOLDER [PYTHON...]      # of a clean commit: tests, wheels, Debian packages, source archive, site, SHA256SUMS
#
# On Debian 12; PYTHON as for tools/wheels.sh. A commit always gives the same wheels and the same archive.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = raise ]; then
  [[ "${2:-}" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "usage: tools/release.sh raise MAJOR.MINOR.PATCH" >&2; exit 2; }
  sed -i -E "s/^(project\\(leeway VERSION )[0-9.]+/\\1$2/" CMakeLists.txt
  sed -i "s/^version: .*/version: $2/" CITATION.cff
  sed -i "s/^## Unreleased\$/## $2/" CHANGELOG.md
  git commit -qm "Version $2" CMakeLists.txt CITATION.cff CHANGELOG.md
  exit
fi
[ $# -gt 0 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
[ -z "$(git status --porcelain)" ] || { echo "commit first: a release is what a commit holds" >&2; exit 1; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
version=$(sed -nE 's/^project\(leeway VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)

./test.sh all
tools/wheels.sh "$out" "$@"
tools/packages.sh "$out"
git archive --format=tar --prefix="leeway-$version/" HEAD | gzip -9n >"$out/leeway-$version.tar.gz"
tar --sort=name --owner=0 --group=0 --mtime="@$(git log -1 --format=%ct)" -C build -c site | gzip -9n >"$out/leeway-$version-site.tar.gz"
(cd "$out" && sha256sum ./* >SHA256SUMS && cat SHA256SUMS)
