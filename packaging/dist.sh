#!/bin/sh
# Makes a release of one commit: archives for every system, deb, rpm, the list of modules, checksums.
#
#   packaging/dist.sh
#
# in the environment:
#   REF      tag or commit, else HEAD; what is not committed is not in it
#   OUT      folder that dist/VERSION is made like; it is replaced as a whole
#   SYSTEMS  "linux/amd64 linux/arm64 ..", else all eight
#   KINDS    "archive deb rpm", or some of them
#   HELPERS  no: without linerate-verbs and linerate-mpi, which need zig (pip install ziglang)
#
# It works on a clone of the commit with the scripts of that commit, so that files lying about in the working tree cannot get into a release.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
ref=${REF:-HEAD}
commit=$(git -C "$top" rev-parse --verify --quiet "$ref^{commit}") || {
	echo "dist: REF=$ref is no tag or commit of $top; git tag lists the tags" >&2
	exit 2
}
if [ -n "$(git -C "$top" status --porcelain)" ]; then
	echo "dist: note: what is not committed in $top is not in the packages" >&2
fi
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
git clone --quiet --shared --no-checkout "$top" "$work/source"
git -C "$work/source" -c advice.detachedHead=false checkout --quiet --detach "$commit"
OUT=${OUT:-$top/dist}
case $OUT in /*) ;; *) OUT=$PWD/$OUT ;; esac
export OUT WORK="$work"
sh "$work/source/packaging/build.sh"
