#!/bin/sh
# Builds the packages of the commit that is checked out here, a clean clone made by dist.sh, in $WORK, into $OUT/VERSION.
# The same commit and the same tools give the same bytes: docs/design/packages.md.
set -eu
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC
SYSTEMS=${SYSTEMS:-linux/amd64 linux/arm64 freebsd/amd64 freebsd/arm64 windows/amd64 windows/arm64 darwin/amd64 darwin/arm64}
KINDS=${KINDS:-archive deb rpm}
HELPERS=${HELPERS:-yes}

. packaging/lib.sh
. packaging/modules.sh
. packaging/archives.sh
. packaging/deb.sh
. packaging/rpm.sh

wants() { case " $KINDS " in *" $1 "*) ;; *) return 1 ;; esac; }

for k in $KINDS; do
	case $k in archive | deb | rpm) ;; *) die "KINDS: there is no kind $k; archive, deb or rpm" ;; esac
done
case $HELPERS in yes | no) ;; *) die "HELPERS=$HELPERS: yes or no" ;; esac
for s in $SYSTEMS; do
	go tool dist list | grep -qx "$s" || die "SYSTEMS: $s is no system that Go builds for; such as linux/arm64"
done
lacking=
needs() { command -v "$1" >/dev/null 2>&1 || lacking="$lacking $2"; }
case $SYSTEMS in *windows*) needs zip zip ;; esac
if wants deb; then needs dpkg-deb dpkg; fi
if wants rpm; then needs rpmbuild rpm; fi
[ -z "$lacking" ] || die "missing:$lacking; apt-get install$lacking (Debian)"
zig=
if [ "$HELPERS" = yes ]; then
	zig=${ZIG:-$(command -v zig || { python3 -c 'import ziglang' 2>/dev/null && echo python3 -m ziglang; } || true)}
	[ -n "$zig" ] || die "linerate-verbs and linerate-mpi are built with zig, which is not here: pip install ziglang; or HELPERS=no leaves them out"
fi

versions
echo "linerate $VERSION, commit $COMMIT of $(date -u -d "@$SOURCE_DATE_EPOCH" '+%F %T') UTC, $(go env GOVERSION)"

# Go writes tag, commit and time of the clone into the program by itself: https://go.dev/doc/go1.24#go-command
for s in $SYSTEMS; do
	echo "building $s"
	program "$s"
done
host=$(go env GOHOSTOS)/$(go env GOHOSTARCH)
[ -e "$(binary "$host")" ] || program "$host"
told=$("$(binary "$host")" version)
case $told in
"linerate $VERSION "*) ;;
*) die "the program says \"$told\" and was to say $VERSION" ;;
esac

helpers=$WORK/helpers
mkdir -p "$helpers"
if [ -n "$zig" ]; then
	echo "building linerate-verbs and linerate-mpi with zig $($zig version)"
	make -s -C rdma ZIG="$zig" verbs
	cp rdma/linerate-verbs-linux-* rdma/linerate-mpi-linux-* "$helpers"
fi

common
made=$WORK/made
mkdir -p "$made"
for s in $SYSTEMS; do
	if wants archive; then echo "archive of $s"; archive "$s" "$made"; fi
	case $s in
	linux/*)
		if wants deb; then echo "deb of $s"; deb "${s#*/}" "$made"; fi
		if wants rpm; then echo "rpm of $s"; rpm "${s#*/}" "$made"; fi
		;;
	esac
done
cp "$WORK/common/MODULES" "$made/linerate-$VERSION-modules.txt"
cp "$WORK/common/NOTICE" "$made/linerate-$VERSION-notice.txt"
(cd "$made" && sha256sum -- * >"$WORK/SHA256SUMS")
cp "$WORK/SHA256SUMS" "$made/SHA256SUMS"

mkdir -p "$OUT"
rm -rf "$OUT/$VERSION.part" && cp -R "$made" "$OUT/$VERSION.part"
rm -rf "${OUT:?}/$VERSION" && mv "$OUT/$VERSION.part" "$OUT/$VERSION"
echo "$OUT/$VERSION:"
cat "$OUT/$VERSION/SHA256SUMS"
