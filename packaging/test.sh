#!/bin/sh
# Builds the archive and the deb of this machine's system, and uses them as somebody who got them does. Root, because dpkg installs.
#
#   packaging/test.sh             builds what it tests; linerate-verbs and linerate-mpi only where zig is
#   packaging/test.sh DIR         tests what lies there, as make dist made it, and linerate.exe where Wine is
set -eu
cd "$(dirname "$0")/.."
top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
fail() {
	echo "packages: $*" >&2
	exit 1
}
arch=$(go env GOHOSTARCH)
dir=${1:-}
if [ -z "$dir" ]; then
	helpers=no
	if command -v zig >/dev/null 2>&1 || python3 -c 'import ziglang' 2>/dev/null || [ -n "${ZIG:-}" ]; then helpers=yes; fi
	OUT=$work/out SYSTEMS=linux/$arch KINDS="archive deb" HELPERS=$helpers sh packaging/dist.sh >"$work/told" || { cat "$work/told"; exit 1; }
	dir=$work/out/$(ls "$work/out")
fi
version=$(basename "$dir")

(cd "$dir" && sha256sum --quiet -c SHA256SUMS) || fail "SHA256SUMS is not of these files"
[ "$(grep -c . "$dir/SHA256SUMS")" = "$(($(find "$dir" -type f | wc -l) - 1))" ] || fail "SHA256SUMS does not have every file"

# The archive: unpacked anywhere, its program says what it is, and its README's links lead somewhere.
tar -C "$work" -xzf "$dir/linerate-$version-linux-$arch.tar.gz"
at=$work/linerate-$version-linux-$arch
told=$("$at/linerate" version)
case $told in "linerate $version (go1."*"linux/$arch)") ;; *) fail "the archive's program says \"$told\", not version $version" ;; esac
links=$(grep -oE '\]\([^)#]+' "$at/README.md" | cut -c 3- | grep -v '^https\?:' | sort -u)
[ -n "$links" ] || fail "no link was found in the README"
for f in $links LICENSE NOTICE MODULES man/man1/linerate-run.1 completions/linerate.zsh; do
	[ -s "$at/$f" ] || fail "the archive has no $f"
done
# Who is beside a module's name in MODULES, has its text in NOTICE.
grep -v '^#' "$at/MODULES" | cut -f 1 | while read -r path _; do
	grep -q "^$path .*: .*[Ll][Ii][Cc][Ee][Nn][SsCc][Ee]" "$at/NOTICE" || fail "NOTICE has no licence of $path"
done
(cd "$at" && ./linerate plan examples/mesh-10g.yaml) >"$work/plan" || [ $? = 3 ] || fail "plan of an example: $(cat "$work/plan")"
echo "archive: $told"

if command -v wine >/dev/null 2>&1 && [ -e "$dir/linerate-$version-windows-amd64.zip" ]; then
	(cd "$work" && unzip -q "$dir/linerate-$version-windows-amd64.zip")
	# Wine needs what the program's own tests under Wine bring along.
	LINERATE_TEST=wine LINERATE_RELEASE_EXE=$work/linerate-$version-windows-amd64/linerate.exe LINERATE_RELEASE_VERSION=$version \
		go test -count=1 ./cmd/linerate -run '^TestWineRelease$' >"$work/told" || { cat "$work/told"; fail "linerate.exe under Wine"; }
	echo "zip: linerate.exe says its version under Wine"
fi

deb=$(echo "$dir"/linerate_*_"$arch".deb)
[ -e "$deb" ] || fail "there is no deb for $arch in $dir"
if command -v lintian >/dev/null 2>&1; then
	lintian --allow-root --fail-on error --suppress-tags bad-distribution-in-changes-file "$deb" || fail "lintian is not content"
fi
[ "$(id -u)" = 0 ] || fail "the archive is fine; only root can install the deb: sudo packaging/test.sh"
cp "$deb" "$work/linerate.deb"
cp packaging/test-installed.sh "$work"
# The machine's own files stay as they are: what dpkg writes goes into memory, seen in this mount namespace alone.
unshare --mount --propagation private sh -eu -c '
work=$1 version=$2
mkdir "$work/over"
mount -t tmpfs tmpfs "$work/over"
mkdir "$work/over/upper" "$work/over/work" "$work/over/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/over/upper,workdir=$work/over/work" "$work/over/root" || {
	echo "packages: this kernel gives no overlay of / here, which the test of the deb needs: modprobe overlay" >&2
	exit 1
}
root=$work/over/root
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
cp "$work/linerate.deb" "$work/test-installed.sh" "$root/run"
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 chroot "$root" sh /run/test-installed.sh "$version"
# A file that was there before, or is new: dpkg'"'"'s own records and the index of man pages alone.
left=$(cd "$work/over/upper" && find . ! -type d | grep -vE "^\./(var/lib/dpkg/|var/log/dpkg\.log|var/log/alternatives\.log|var/cache/man/|var/cache/debconf/)" || true)
[ -z "$left" ] || { echo "packages: after the purge these are not as before:"; echo "$left"; exit 1; }
' - "$work" "$version"
