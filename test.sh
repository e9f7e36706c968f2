#!/bin/sh
# Installs what the tests need and passes them all: formatting, vet on every
# system, staticcheck, the tests with the race detector, every fuzz target for a
# fixed number of executions, the end-to-end runs.
#
#   ./test.sh            everything
#   ./test.sh quick      without fuzzing, Wine, the guest and the packages
set -eu
cd "$(dirname "$0")"
export GOFLAGS="${GOFLAGS:-} -buildvcs=false" GOTOOLCHAIN=local

say() { printf '\n== %s\n' "$*"; }

# What the tests use beside Go: a C compiler for the race detector, sshd and ssh for
# the reach over ssh, ip, tc, ethtool and nft to spoil a lab by hand, strace to see what is read, python for
# reading the Parquet file, a browser for the page, busybox as a second shell, the headers that linerate-verbs is built with, Slurm for the reach over srun. The programs that read network
# files (netplan, nmcli, ifup) are unpacked into the cache by the test: installed, they would start services.
packages="gcc libc6-dev openssh-server openssh-client iproute2 ethtool python3-venv chromium nftables busybox procps strace libibverbs-dev librdmacm-dev slurmctld slurmd slurm-client munge openmpi-bin"
programs="gcc sshd ssh ip tc ethtool python3 chromium nft busybox sysctl strace slurmctld slurmd srun munged mpirun"
# Servers and clients of storage in user space: iSCSI and NBD.
packages="$packages tgt qemu-system-common qemu-utils qemu-block-extra nbdkit libnbd-bin"
programs="$programs tgtd qemu-storage-daemon nbdkit nbdfuse"
# What people copy with.
packages="$packages samba smbclient curl rsync"
programs="$programs smbd smbpasswd smbclient curl rsync scp sftp"
# The Windows program runs under Wine: 100 MB to download, 670 MB on disk, its 64-bit half alone. QEMU runs a guest of the lab.
if [ "${1:-}" != quick ]; then
	packages="$packages wine wine64 qemu-system-x86"
	programs="$programs wine qemu-system-x86_64"
	# The deb is installed, its man pages are read, its completions are loaded.
	packages="$packages man-db bash-completion"
	programs="$programs dpkg-deb man mandb"
	export LINERATE_TEST_WINE=1
fi

missing() {
	for p in $programs; do
		command -v "$p" >/dev/null 2>&1 || [ -x "/usr/sbin/$p" ] || printf '%s ' "$p"
	done
	for h in infiniband/verbs.h rdma/rdma_cma.h; do
		[ -e "/usr/include/$h" ] || printf '%s ' "$h"
	done
	[ "${1:-}" = quick ] || [ -e /usr/share/bash-completion/bash_completion ] || printf 'bash-completion '
}

# The other systems and staticcheck, which need Go alone, take what processor the installation and the tests leave while they wait.
aside=$(mktemp)
idle="nice -n 19"
if chrt --idle 0 true 2>/dev/null; then idle="chrt --idle 0"; fi
(
	for os in windows freebsd darwin; do
		echo "vet, GOOS=$os"
		GOOS=$os CGO_ENABLED=0 $idle go vet ./... || exit 1
	done
	echo staticcheck
	CGO_ENABLED=0 $idle go tool -modfile=tools/go.mod staticcheck ./...
) >"$aside" 2>&1 &
others=$!
trap 'rm -f "$aside"; kill "$others" 2>/dev/null || true' EXIT

say "what the tests need"
lacking=$(missing "$@")
if [ -n "$lacking" ] && command -v apt-get >/dev/null 2>&1; then
	sudo=""
	[ "$(id -u)" = 0 ] || sudo=sudo
	$sudo apt-get update -qq
	# Not the recommended packages: they would start services and pull in a desktop.
	DEBIAN_FRONTEND=noninteractive timeout 900 $sudo apt-get install -y -qq --no-install-recommends $packages >/dev/null
	lacking=$(missing "$@")
fi
if [ -n "$lacking" ]; then
	echo "missing: $lacking"
	echo "On Debian this script installs them; elsewhere install them and start it again."
	exit 1
fi
venv="${XDG_CACHE_HOME:-$HOME/.cache}/linerate-test/venv"
if ! "$venv/bin/python" -c 'import pyarrow, tree_sitter, tree_sitter_powershell' 2>/dev/null; then
	python3 -m venv "$venv"
	"$venv/bin/pip" install -q pyarrow tree-sitter tree-sitter-powershell
fi
export LINERATE_PYTHON="$venv/bin/python"
if [ "$(id -u)" = 0 ]; then
	# From here on nothing is missing: a test that would skip for a missing tool fails.
	export LINERATE_TEST_ALL=1
	echo "all there"
else
	echo "all there; tests that need root (other users' processes, sshd, namespaces by name) are left out: sudo ./test.sh runs them too"
fi

# The packages are built and used beside the tests, too.
packed=$(mktemp)
packing=
if [ "${1:-}" != quick ] && [ "$(id -u)" = 0 ]; then
	$idle sh packaging/test.sh >"$packed" 2>&1 &
	packing=$!
fi
trap 'rm -f "$aside" "$packed"; kill "$others" $packing 2>/dev/null || true' EXIT

say "formatting"
unformatted=$(gofmt -l $(git ls-files '*.go'))
[ -z "$unformatted" ] || { echo "gofmt -w $unformatted"; exit 1; }

say "vet"
go vet ./...

# The race detector watches the packages that start goroutines, in their tests or in what they are. In the others nothing runs beside
# anything else: there it has nothing to find, and takes up to ten times as long.
starts='(^|[[:space:];{])go (func|[[:alpha:]_.]+)\(|\.(Go|AfterFunc|Parallel)\('
concurrent=$(git grep -lE "$starts" -- '*.go' | xargs -n 1 dirname | sort -ru | grep -vx -e cmd/linerate -e config/linux | sed 's|^|./|') # run, which takes longest, begins; in config/linux shells run beside each other
say "tests with the race detector: packages that start goroutines"
# Without it what is long sums and parsing in one goroutine, here too.
sums='Test(Bombs|BriefCut|Captures|CapturesFreeBSD|Chances|HostCaptures|Lines|LinkCaptures|MaskedCapturesParseAlike|Meaning|RouterOSCaptures|SwitchCaptures)'
# With it each process that ends sleeps a second for reports that others may still write; agents have ended their work by then.
export GORACE="${GORACE:-} atexit_sleep_ms=0"
go test -race -skip "^$sums\$" -timeout 20m $concurrent
say "tests without it"
go test -timeout 20m $(go list ./... | sed 's|^linerate|.|' | grep -vxF "$concurrent" | grep -vx ./cmd/linerate)
go test -run "^$sums\$" $(git grep -lE "^func $sums\(" -- $(printf '%s/*_test.go ' $concurrent) | xargs -n 1 dirname | sort -u | sed 's|^|./|')
# Each package is compiled once, not once a target. It begins with the parsers, which take longest.
fuzzing() {
	for dir in ./facts $(go list -f '{{.Dir}}' ./... | grep -v /facts$); do
		targets=$(grep -ho '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go 2>/dev/null | cut -c6- || true)
		[ -n "$targets" ] || continue
		$idle go test -c -fuzz=. -o "$fuzz/test" "$dir"
		for target in $targets; do
			times=1000x
			case $dir/$target in
			*/facts/FuzzSources) times=10000x ;; # every parser; their own targets are for work on one of them
			*/facts/FuzzParse | */facts/FuzzSplit | */facts/FuzzDecoded | */facts/FuzzMask* | */facts/FuzzArchive) ;;
			*/facts/*) continue ;;
			esac
			# A crasher is reported as it was found: making it smaller may take minutes.
			if ! (cd "$dir" && $idle "$fuzz/test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$times" \
				-test.fuzzminimizetime 1x -test.fuzzcachedir "$fuzz/cache") >"$fuzz/log" 2>&1; then
				cat "$fuzz/log"
				return 1
			fi
			grep -q 'execs: [1-9]' "$fuzz/log" || { cat "$fuzz/log"; echo "$target did not run"; return 1; }
			echo "$target $(tail -n 1 "$fuzz/log")"
		done
	done
}

say "tests of the program"
# The program's own tests measure: they have the machine to themselves, but for what is idle by order.
# What works on many hosts at once goes with the race detector, as all packages below do; the rest of these tests waits and measures.
together='^Test(Facts|Check|Apply|Captures|Acceptance)'
go test -race -timeout 10m -parallel 4 -run "$together" ./cmd/linerate
wait "$others" || { cat "$aside"; exit 1; }
say "vet of the other systems and staticcheck"
cat "$aside"
if [ -n "$packing" ]; then
	wait "$packing" || { cat "$packed"; exit 1; }
	say "packages: the archive and the deb of this system, used"
	cat "$packed"
fi
# Verdicts speak of processors, which fuzzing fills, idle as it is: what judges them comes before it.
verdicts='^Test(SpoiledByHand|SpoiledLab|ExamSample|FaultByHand|ChaseInLab|WhatIfInTheLab|AccountsLab|StorageVerdicts)$'
go test -timeout 10m -run "$verdicts" ./cmd/linerate
if [ "${1:-}" != quick ]; then
	fuzz=$(mktemp -d)
	(set +e; fuzzing) >"$fuzz/told" 2>&1 &
	fuzzer=$!
	trap 'rm -rf "$aside" "$packed" "$fuzz"; kill "$fuzzer" 2>/dev/null || true' EXIT
fi
# What waits or only looks whether something comes through runs four at a time (t.Parallel); what judges figures comes before it.
go test -timeout 20m -parallel 4 -skip "$together|$verdicts" ./cmd/linerate

if [ "${1:-}" != quick ]; then
	say "one guest: a whole machine beside two namespaces, and again as an ordinary user"
	# Its boot and its emulated processor are waited for, not judged.
	LINERATE_TEST_GUEST=1 go test -timeout 10m -run '^TestGuest(AsOrdinaryUser)?$' ./cmd/linerate

	say "fuzzing, 1000 executions a target; the parsers of facts together 10000"
	wait "$fuzzer" || { cat "$fuzz/told"; exit 1; }
	cat "$fuzz/told"
fi

say "all passed"
