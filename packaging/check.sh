#!/bin/sh
# Builds the packages of one commit twice, under different circumstances, and compares every file. REF, SYSTEMS, KINDS and HELPERS are as for dist.sh.
#
# The second time: another folder with a longer name, empty caches of Go and zig, another umask, time zone and language, another HOME.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
REF=$(git rev-parse --verify "${REF:-HEAD}^{commit}")
export REF
OUT=$work/first sh packaging/dist.sh >"$work/told"
head -n 1 "$work/told"
# The modules' sources are looked at, not built anew: they are those of go.sum.
other=$work/another/folder/with/a/longer/name
mkdir -p "$other/tmp" "$other/home"
(
	umask 077
	env TMPDIR="$other/tmp" HOME="$other/home" XDG_CACHE_HOME="$other/home/cache" GOCACHE="$other/go" GOMODCACHE="$(go env GOMODCACHE)" \
		ZIG_GLOBAL_CACHE_DIR="$other/zig" TZ=Asia/Kolkata LC_ALL=C.UTF-8 OUT="$work/second" sh packaging/dist.sh >"$work/told"
)
version=$(ls "$work/first")
differ=0
for f in "$work/first/$version"/*; do
	name=${f##*/}
	if cmp "$f" "$work/second/$version/$name"; then
		echo "same: $name"
	else
		echo "differs: $name; diffoscope shows where"
		differ=1
	fi
done
[ "$(ls "$work/first/$version")" = "$(ls "$work/second/$version")" ] || { echo "the second time other files came out"; differ=1; }
if [ "$differ" != 0 ] && [ -n "${KEEP:-}" ]; then
	cp -R "$work/first" "$work/second" "$KEEP"
fi
exit "$differ"
