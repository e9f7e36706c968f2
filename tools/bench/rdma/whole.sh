#!/usr/bin/env bash
# Everything of RDMA in emulated machines, soft RoCE and soft iWARP, on a machine that does nothing else:
#   tools/bench/rdma/whole.sh OUT          the tests between two guests, storage over RDMA, and examples/pairs-ib.yaml with its two adapters compared
#   tools/bench/rdma/whole.sh OUT grid     also all sizes of pairs-ib from 1 B to 1 MiB, five repeats each: hours
# OUT is a new folder. As an ordinary user or root; the packages that it lacks are named at the beginning, the machine's own are not touched.
set -euo pipefail
[ $# -ge 1 ] && [ $# -le 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ "${2:-grid}" = grid ] || { echo "whole.sh: $2: only grid is known" >&2; exit 2; }
mkdir "$1" # fails if it exists, so that two runs cannot mix
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../.."
say() { printf '\n%s  %s\n' "$(date +%H:%M:%S)" "$*"; }

say "linerate, linerate-verbs, and the modules that Debian's kernel leaves out"
CGO_ENABLED=0 go build -trimpath -o "$out/linerate" ./cmd/linerate
"$out/linerate" lab build --modules siw

say "linerate-verbs between two guests: every operation over every transport, a peer that is killed, bad input; storage over RDMA"
LINERATE_TEST=guest,long go test -timeout 3h -v -run '^TestGuest' ./rdma | tee "$out/verbs.txt"

say "agents between guests: soft RoCE in one, soft iWARP"
LINERATE_TEST=guest go test -timeout 30m -v -run '^TestGuest(IWARP|WithoutIWARP)?$' ./cmd/linerate | tee "$out/agents.txt"

# A goal that is missed (3) or unknown (4) is not a failure: the goals are for other devices than these soft ones.
ok() { [ "$1" = 3 ] || [ "$1" = 4 ]; }
pairs() {
	say "$2"
	"$out/linerate" run "$1" --lab -o "$out/$3" || ok $?
	"$out/linerate" compare "$out/$3" --by via | tee "$out/$3.txt" || ok $?
}
pairs examples/pairs-ib.yaml "pairs of cores over two adapters" pairs
if [ "${2:-}" = grid ]; then
	sed -e 's/^\( *size: &sizes\) .*/\1 1B..1MiB/' -e 's/^\( *time: &window\) .*/\1 1s/' -e 's/^\( *repeats:\) 1$/\1 5/' examples/pairs-ib.yaml >"$out/grid.yaml"
	pairs "$out/grid.yaml" "the whole grid" grid
fi
say "all in $out"
