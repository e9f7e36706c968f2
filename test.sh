#!/usr/bin/env bash
# Installs what the tests need and passes them.
#
#   ./test.sh                what CI runs: formatting, the linters, all tests that run in minutes, fuzzing
#   ./test.sh all            also Wine, guests, Slurm, packages and long fuzzing
#   ./test.sh all --write    the same, and writes docs/tested.md
#   ./test.sh exam [DIR]     judges live verdicts, prints the score and keeps it in DIR
#
# `go test ./...` needs Go alone and runs the tests that need nothing else (internal/testenv says which).
set -euo pipefail
cd "$(dirname "$0")"
# Without the clone's path in what is built, a second clone of the project finds it in the build cache.
export GOFLAGS="${GOFLAGS:-} -buildvcs=false -trimpath" GOTOOLCHAIN=local
# Only the race detector needs cgo. Everything else is built without it, so that no package is compiled twice.
export CGO_ENABLED=0

mode=${1:-live} write=
usage() { sed -n '2,9s/^# \{0,1\}//p' "$0"; }
case "$mode ${2:-} ${3:-}" in
"live  " | "all  ") ;;
"all --write ") write=yes ;;
exam\ *\ ) ;;
"--help  " | "-h  ")
	usage
	exit
	;;
*)
	usage >&2
	exit 2
	;;
esac

say() { printf '\n== %s (%s s)\n' "$*" "$(($(date +%s) - began))"; }
began=$(date +%s)

# Everything temporary, and everything that runs in the background, ends with this script. What runs in the background is
# a process group of its own, so that its children end too.
work=$(mktemp -d)
background=
finish() {
	for pid in $background; do kill -- "-$pid" 2>/dev/null || true; done
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

# Debian's packages, and a program or file of each, by which it is known to be there. Networks, ssh, a second shell:
needs="gcc:gcc libc6-dev:/usr/include/stdio.h openssh-server:sshd openssh-client:ssh iproute2:tc ethtool:ethtool
	nftables:nft procps:sysctl busybox:busybox tcsh:tcsh strace:strace python3-venv:/usr/share/doc/python3-venv chromium:chromium
	libibverbs-dev:/usr/include/infiniband/verbs.h librdmacm-dev:/usr/include/rdma/rdma_cma.h openmpi-bin:mpirun
	groff:groff"
# Servers and clients of storage, and the tools that people copy with.
needs="$needs tgt:tgtd qemu-system-common:/usr/share/doc/qemu-system-common qemu-utils:qemu-storage-daemon
	qemu-block-extra:/usr/share/doc/qemu-block-extra nbdkit:nbdkit libnbd-bin:nbdfuse samba:smbd smbclient:smbclient
	curl:curl rsync:rsync"
# Wine is 670 MB on disk. The deb is installed, its man pages are read, its completions are loaded.
[ "$mode" != all ] || needs="$needs wine:wine wine64:/usr/share/doc/wine64 qemu-system-x86:qemu-system-x86_64
	slurmctld:slurmctld slurmd:slurmd slurm-client:srun munge:munged
	man-db:mandb bash-completion:/usr/share/bash-completion/bash_completion"

there() {
	case $1 in
	/*) [ -e "$1" ] ;;
	*) command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ] ;;
	esac
}
missing() { for need in $needs; do there "${need#*:}" || printf '%s ' "${need%%:*}"; done; }

install_needs() {
	say "what the tests need"
	lacking=$(missing)
	if [ -n "$lacking" ] && command -v apt-get >/dev/null 2>&1; then
		sudo=""
		[ "$(id -u)" = 0 ] || sudo=sudo
		if [ -n "$sudo" ] && ! command -v sudo >/dev/null; then
			echo "error: these packages are missing, and only root can install them: $lacking"
			echo "help: apt-get install --no-install-recommends $lacking"
			exit 1
		fi
		$sudo apt-get update -qq
		# Without the recommended packages, which would start services and pull in a desktop.
		DEBIAN_FRONTEND=noninteractive timeout 900 $sudo apt-get install -y -qq --no-install-recommends $lacking >/dev/null
		lacking=$(missing)
	fi
	if [ -n "$lacking" ]; then
		echo "error: these packages are missing: $lacking"
		echo "help: on Debian this script installs them; elsewhere install them and start it again"
		exit 1
	fi
	venv="${XDG_CACHE_HOME:-$HOME/.cache}/linerate-test/venv"
	if ! "$venv/bin/python" -c 'import pyarrow, tree_sitter, tree_sitter_powershell' 2>/dev/null; then
		python3 -m venv "$venv"
		"$venv/bin/pip" install -q pyarrow tree-sitter tree-sitter-powershell
	fi
	export LINERATE_PYTHON="$venv/bin/python"
	if [ "$(id -u)" = 0 ]; then
		echo "everything is there"
	else
		echo "everything is there; tests that only root can run are skipped: sudo ./test.sh runs them too"
	fi
}

runner="go test"
# go test, or, where docs/tested.md is written, go test -json into a file that begins with the name of a row of that page.
go_test() {
	row=$1
	shift
	if [ -z "$write" ]; then
		$runner "$@"
		return
	fi
	$runner -json "$@" >"$work/$row.now" || {
		sed -n 's/.*"Output":"\(.*\)\\n"}$/\1/p' "$work/$row.now" | grep -E '^( *--- FAIL|FAIL| +[a-z0-9_]+_test\.go)' || true
		return 1
	}
	cat "$work/$row.now" >>"$record/$row.events.json"
}

# Each package is compiled once, not once a target. The parsers of facts, which take longest, begin; FuzzSources goes over
# all of them, so that each one's own target is for work on it, and for ./test.sh all.
fuzz() {
	times=$1
	for dir in ./internal/facts/read $(go list -f '{{.Dir}}' ./... | grep -v /facts/read$); do
		targets=$(grep -ho '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go 2>/dev/null | cut -c6- || true)
		[ -n "$targets" ] || continue
		# The coverage that -fuzz compiles in guides little in a thousand executions, and doubles their time.
		guided=
		[ "$mode" != all ] || guided=-fuzz=.
		go test -c $guided -ldflags='-s -w' -o "$work/fuzz.test" "$dir"
		for target in $targets; do
			n=$times
			case $mode/$dir/$target in
			*/facts/read/FuzzSources) n=$((10 * times)) ;;
			# Each of these starts a shell, draws pages or unpacks an archive.
			live/*/FuzzQuote | live/*/FuzzDrawing | live/*/report/FuzzNames | live/*/FuzzUnpackArchive) n=$((times / 10)) ;;
			*/facts/read/FuzzParse | */facts/read/FuzzSplit | */facts/read/FuzzDecoded | */facts/*/FuzzMask* | */facts/*/FuzzArchive) ;;
			live/*/facts/* | live/*/device/*/parse/*) continue ;;
			esac
			# A crasher is reported as it was found: making it smaller may take minutes.
			if ! (cd "$dir" && "$work/fuzz.test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "${n}x" \
				-test.fuzzminimizetime 1x -test.fuzzcachedir "$work/fuzz.cache") >"$work/target.log" 2>&1; then
				cat "$work/target.log"
				return 1
			fi
			execs=$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' "$work/target.log" | tail -n 1)
			[ "${execs:-0}" -gt 0 ] || { cat "$work/target.log"; echo "error: $target did not run"; return 1; }
			printf '%s\t%s\t%s\n' "$(basename "$dir")" "$target" "$execs" >>"$record/fuzz.tsv"
		done
	done
	echo "$(wc -l <"$record/fuzz.tsv") targets, $(awk '{n += $3} END {print n}' "$record/fuzz.tsv") executions"
}

# What docs/tested.md is made of stays there after the script.
record="$work"
if [ -n "$write" ]; then
	record="${XDG_CACHE_HOME:-$HOME/.cache}/linerate-test/tested"
	rm -rf "$record"
	mkdir -p "$record"
	export LINERATE_TEST_COUNTS="$record/counts.tsv"
fi

# Starts a command in the background; wait_for shows its output and notes whether it failed.
start() {
	name=$1
	shift
	set -m
	(trap 'echo "-- $name ended ($(($(date +%s) - began)) s)"' EXIT; set -e; "$@") >"$work/$name.log" 2>&1 &
	set +m
	eval "pid_$name=$!"
	background="$background $!"
}
# The same for what only computes. It takes the time in which the tests of start wait.
fill_in() {
	start "$@"
	renice -n 5 -g "${background##* }" >/dev/null 2>&1 || true
}
failed=
wait_for() {
	eval "wait \$pid_$1" || failed="$failed $1"
	cat "$work/$1.log"
}
# Runs a command in the foreground; a failure is noted, and the others go on.
run() {
	name=$1
	shift
	"$@" || failed="$failed $name"
}
stop_if_failed() {
	[ -z "$failed" ] || { say "FAILED:$failed"; exit 1; }
}

# vet, staticcheck, revive and misspell. What passed once passes again, so vet looks at the other systems where a source
# or Go has changed. staticcheck and go vet remember by themselves.
linters() {
	passed="${XDG_CACHE_HOME:-$HOME/.cache}/linerate-test/vetted"
	sources=$( (go version; git ls-files -co --exclude-standard '*.go' '*go.mod' '*go.sum' | sort -u | xargs sha256sum 2>&1; true) | sha256sum)
	if [ "$(cat "$passed" 2>/dev/null)" = "$sources" ]; then
		echo "vet for windows, freebsd and darwin has passed, and nothing has changed since"
	else
		go build -C tools -o "$work/vet" ./vet
		for os in windows freebsd darwin; do
			echo "vet, GOOS=$os"
			GOOS=$os "$work/vet" ./...
			(cd tools/bench && GOOS=$os "$work/vet" ./...)
		done
		mkdir -p "$(dirname "$passed")"
		echo "$sources" >"$passed"
	fi
	echo staticcheck
	go build -C tools -o "$work/staticcheck" honnef.co/go/tools/cmd/staticcheck
	"$work/staticcheck" ./...
	(cd tools/bench && "$work/staticcheck" ./...)
	echo revive
	go build -C tools -o "$work/revive" github.com/mgechev/revive
	"$work/revive" -config tools/revive.toml ./...
	(cd tools/bench && "$work/revive" -config ../revive.toml ./...)
	echo misspell
	go build -C tools -o "$work/misspell" github.com/golangci/misspell/cmd/misspell
	# Recorded outputs are as they were. A system, a bit of IP and a program are called so, and a test has a wrong key.
	git ls-files -co -z --exclude-standard ':!*/testdata/*' ':!*.svg' ':!*.sum' |
		xargs -0 "$work/misspell" -error -i routeros,ect,exportfs,versoin
}

# The last score of an exam, which docs/tested.md quotes.
exam_dir="${XDG_CACHE_HOME:-$HOME/.cache}/linerate-test/exam"

if [ "$mode" = exam ]; then
	install_needs
	say "exam: live verdicts"
	exam_dir=${2:-$exam_dir}
	mkdir -p "$exam_dir"
	go build -o "$work/exam" ./internal/lab/exam/live
	"$work/exam" -o "$exam_dir" || exit $? # 1: the promise is broken; 3: nothing can be judged here
	exit
fi

# Compilers and tests are short-lived: they collect garbage less often. The exam, above, judges the program as users have it.
export GOGC=${GOGC:-400}
# The linters, which need Go alone, start before the installation.
fill_in static linters
install_needs

say "formatting and vet"
unformatted=$(gofmt -l $(git ls-files '*.go'))
[ -z "$unformatted" ] || { echo "error: not formatted; type: gofmt -w" $unformatted; exit 1; }
# Before the tests, which would compile the same packages at the same time. The benchmarks are a separate module, and
# its workspace (tools/bench/go.work) has them use what is compiled here.
go vet ./...
go vet -C tools/bench ./...

# As somebody who has just cloned the project: an ordinary user with Go and what every Unix has, in another language and
# time zone.
plain() {
	mkdir "$work/user"
	git clone -q --no-hardlinks . "$work/user/clone" # its files become another user's
	cp -r "$(go env GOMODCACHE)/cache/download" "$work/user/proxy"
	mkdir "$work/user/bin"
	for program in sh awk basename cat chmod chown cmp comm cp cut date dd df diff dirname du echo env expr false find getent \
		grep head hostname id kill ln ls mkdir mkfifo mktemp mv nice nl nohup od paste printf ps pwd readlink realpath rm \
		rmdir sed seq setsid sleep sort split stat stty sync tail tee test timeout touch tr true tty uname uniq wc which \
		whoami xargs; do
		at=$(command -v "$program" || true)
		case $at in /*) ;; *) at=/usr/bin/$program ;; esac
		[ ! -e "$at" ] || ln -s "$at" "$work/user/bin/$program"
	done
	who=
	if [ "$(id -u)" = 0 ]; then
		who="setpriv --reuid nobody --regid nogroup --clear-groups"
		chmod 711 "$work"
		chown -R nobody "$work/user"
	fi
	runner="$who env -C $work/user/clone -i HOME=$work/user GOPROXY=file://$work/user/proxy GOSUMDB=off CGO_ENABLED=0
		PATH=$(go env GOROOT)/bin:$work/user/bin LC_ALL=tr_TR.UTF-8 TZ=Pacific/Kiritimati go test"
	go_test plain -count=1 -timeout 10m ./...
	runner="go test"
	chmod -R u+w "$work/user"
}

if [ "$mode" = all ]; then
	say "go test ./..., which needs Go alone"
	run plain plain
	[ "$(id -u)" != 0 ] || start packages sh packaging/test.sh
fi

# The race detector watches the packages that start goroutines, in their tests or in what they are. In the others there is
# nothing for it to find, and it takes up to ten times as long.
starts='(^|[[:space:];{])go (func|[[:alpha:]_.]+)\(|\.(Go|AfterFunc|Parallel)\('
# These have parallel tests and no goroutines of their own that share anything: internal/architecture parses the sources,
# internal/device/linux/render starts shells, internal/explain and explain/figures judge recorded runs, design/fabric and
# facts/read parse. cmd/linerate, whose tests start the program, has its own line below.
alone="cmd/linerate internal/architecture internal/device/linux/render internal/explain internal/explain/figures
	internal/design/fabric internal/facts/read"
racing=$(git grep -lE "$starts" -- '*.go' ':!tools' | xargs -n 1 dirname | sort -u |
	grep -vxF "$(printf '%s\n' $alone)" | sed 's|^|./|')
rest=$(go list ./... | sed 's|^linerate|.|' | grep -vxF "$racing" | grep -vx ./cmd/linerate)
# Long sums and parsing in one goroutine run without it in these packages, too.
sums='^Test(BriefCut|Chances|Lines|Meaning|Snapshots)$'
with_sums=$(git grep -lE "^func $(echo "$sums" | tr -d '^$')\(" -- $(printf '%s/*_test.go ' $racing) | xargs -n 1 dirname | sort -u | sed 's|^|./|')
# With the race detector each process that ends sleeps a second for reports that others may still write.
export GORACE="${GORACE:-} atexit_sleep_ms=0"

# Nothing judges a figure, so that everything may run at the same time.
say "tests: go test ./... and the live ones, with the race detector where goroutines are"
export LINERATE_TEST=live
[ "$mode" != all ] || export LINERATE_TEST=live,download
# These two wait much: a package more than there are cores keeps these busy.
race() {
	wrong=0
	CGO_ENABLED=1 go_test race -race -p $((1 + $(nproc))) -count=1 -timeout 20m -skip "$sums" $racing || wrong=1
	(cd tools/bench && CGO_ENABLED=1 go_test race -race -count=1 -timeout 20m ./verbs) || wrong=1
	return $wrong
}
program() { go_test program -count=1 -timeout 20m -parallel 8 ./cmd/linerate; }
rest() {
	wrong=0
	go_test rest -count=1 -timeout 20m $rest || wrong=1
	go_test sums -count=1 -timeout 20m -run "$sums" $with_sums || wrong=1
	(cd tools/bench && go_test rest -count=1 -timeout 20m $(go list ./... | grep -v /verbs$)) || wrong=1
	return $wrong
}
start race race
start program program
fill_in rest rest
if [ "$mode" = all ]; then fill_in fuzz fuzz 3000; else fill_in fuzz fuzz 1000; fi
wait_for program
wait_for race
wait_for rest
say "the linters and fuzzing, which ran beside these"
wait_for static
wait_for fuzz
[ "$mode" = all ] || stop_if_failed # what is heavy is worth its time though something before it failed

if [ "$mode" = all ]; then
	say "packages: the archive and the deb of this system, used"
	if [ "$(id -u)" = 0 ]; then wait_for packages; fi
	# One package at a time: an emulated processor is slow enough by itself.
	say "Wine, guests, Slurm"
	export LINERATE_TEST=wine,guest,slurm,download
	heavy=$(git grep -lE 'testenv\.(Wine|Guest|Slurm|Download)|connecttest\.Slurm' -- '*.go' ':!tools' |
		grep -v '^internal/testenv/' | xargs -n 1 dirname | sort -u | sed 's|^|./|')
	run heavy go_test heavy -count=1 -p 1 -parallel 4 -timeout 40m $heavy
	stop_if_failed
fi
if [ -n "$write" ]; then
	say "docs/tested.md"
	for row in race program rest sums; do cat "$record/$row.events.json" >>"$record/live.events.json"; done
	[ ! -e "$exam_dir/score.json" ] || cp "$exam_dir/score.json" "$record"
	machine="$(nproc) cores, Linux $(uname -r | cut -d- -f1), $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release), $(go env GOVERSION)"
	go run ./internal/tested/page -in "$record" -commit "$(git rev-parse --short=12 HEAD)" -machine "$machine"
	echo "docs/tested.md is written; commit it"
fi

say "all passed"
