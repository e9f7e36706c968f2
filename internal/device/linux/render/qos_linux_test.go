package render_test

import (
	"strings"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/device/configtest"
)

// No NIC of this machine has DCB, so scripts replace dcb, mlnx_qos, cma_roce_* and ethtool's pause: they store settings
// and print them in the form of their manuals. They are started hundreds of times, so they only use shell builtins.
const fakeDCB = `#!/bin/sh
show() { l= && IFS= read -r l <"$1"; printf '%s\n' "$2$l"; }
[ "$1" = -N ] && shift
object=$1 verb=$2 dev=$4
shift 4
f=$FAKE/dcb.$dev.$object
[ -e "$FAKE/nodcb" ] && { echo "Error: Operation not supported" >&2; exit 1; }
case $object.$verb in
dcbx.show) show "$f" ;;
dcbx.set) echo "$*" >"$f" ;;
apptrust.*) echo 'Object "apptrust" is unknown' >&2; exit 1 ;;
app.flush) : >"$f.dscp-prio" ;;
app.add|app.replace) shift; echo "$*" >"$f.dscp-prio" ;;
app.show) [ ! -s "$f.$1" ] || show "$f.$1" "$1 " ;;
*.show) for k in ${*:-prio-pfc}; do show "$f.$k" "$k "; done ;;
*.set)
	key=
	for w in "$@"; do
		case $w in
		[0-9]*:*) v="$v $w" ;;
		on|off) v=" $w" ;;
		*) [ -z "$key" ] || echo "${v# }" >"$f.$key"; key=$w v= ;;
		esac
	done
	echo "${v# }" >"$f.$key" ;;
esac
`

const fakeEthtool = `#!/bin/sh
case $1 in
-a)
	read -r rx tx <"$FAKE/pause.$2"
	printf 'Pause parameters for %s:\nAutonegotiate:\toff\nRX:\t\t%s\nTX:\t\t%s\n\n' "$2" "$rx" "$tx" ;;
-A) echo "$4 $6" >"$FAKE/pause.$2" ;;
*) exec /usr/sbin/ethtool "$@" ;;
esac
`

const fakeMlnxQoS = `#!/bin/sh
dev=$2
for a in "$@"; do
	case $a in --*) k=${a%%=*}; echo "${a#*=}" >"$FAKE/mlnx.$dev.${k#--}" ;; esac
done
printf 'DCBX mode: OS controlled\nPriority trust state: pcp\nCable len: 7\nPFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n\tenabled     '
for k in pfc tsa tcbw prio_tc; do read -r $k <"$FAKE/mlnx.$dev.$k"; done
IFS=,
for n in $pfc; do printf '%s   ' "$n"; done
echo
tsa=$tsa,,,,,,,, tcbw=$tcbw,,,,,,,,
for tc in 0 1 2 3 4 5 6 7; do
	case ${tsa%%,*} in
	ets) echo "tc: $tc ratelimit: unlimited, tsa: ets, bw: ${tcbw%%,*}%" ;;
	*) echo "tc: $tc ratelimit: unlimited, tsa: ${tsa%%,*}" ;;
	esac
	tsa=${tsa#*,} tcbw=${tcbw#*,} p=0
	for class in $prio_tc; do
		[ "$class" != "$tc" ] || printf '\t priority:  %s\n' "$p"
		p=$((p + 1))
	done
done
`

const fakeCMA = `#!/bin/sh
name=${0##*/}
f=$FAKE/$name.$2.$4
if [ "$5" = -m ]; then if [ "$6" = 2 ]; then echo "RoCE v2" >"$f"; else echo "IB/RoCE v1" >"$f"; fi; fi
[ "$5" != -t ] || echo "$6" >"$f"
l= && IFS= read -r l <"$f"
printf '%s\n' "$l"
`

// fakes installs the programs, with the initial state of a NIC.
func (w *world) fakes(t *testing.T, devices ...string) {
	t.Helper()
	for name, text := range map[string]string{"dcb": fakeDCB, "ethtool": fakeEthtool, "mlnx_qos": fakeMlnxQoS,
		"cma_roce_tos": fakeCMA, "cma_roce_mode": fakeCMA, "pidof": "#!/bin/sh\n[ -e \"$FAKE/lldpad\" ]\n"} {
		w.program(t, "bin/"+name, text)
	}
	for _, d := range devices {
		for file, text := range map[string]string{"dcb." + d + ".dcbx": "lld-managed ieee",
			"dcb." + d + ".app.dscp-prio": "10:1", "pause." + d: "on on",
			"dcb." + d + ".pfc.prio-pfc": "0:off 1:off 2:off 3:off 4:on 5:off 6:off 7:off", "dcb." + d + ".ets.willing": "on",
			"dcb." + d + ".ets.prio-tc": "0:1 1:0 2:2 3:3 4:4 5:5 6:6 7:7",
			"dcb." + d + ".ets.tc-bw":   "0:12 1:13 2:12 3:13 4:12 5:13 6:12 7:13",
			"dcb." + d + ".ets.tc-tsa":  "0:ets 1:ets 2:ets 3:ets 4:ets 5:ets 6:ets 7:ets",
			"mlnx." + d + ".pfc":        "0,0,0,0,0,0,0,0", "mlnx." + d + ".prio_tc": "0,1,2,3,4,5,6,7",
			"mlnx." + d + ".tsa":  "vendor,vendor,vendor,vendor,vendor,vendor,vendor,ets",
			"mlnx." + d + ".tcbw": "0,0,0,0,0,0,0,100"} {
			w.write(t, "fake/"+file, text+"\n")
		}
	}
	w.env = append(w.env, "FAKE="+w.dir+"/fake", "PATH="+w.dir+"/bin:/usr/sbin:/usr/bin:/sbin:/bin")
}

func TestTrafficClasses(t *testing.T) {
	t.Parallel()
	const text = `
fabric: classes
hosts:
  a: {os: linux, nics: {cx5: {part: MCX516A-CCAT, rdma: rocev2}, cx3: {part: MCX354A-FCCT, mode: eth, rdma: rocev2}}}
  b: {os: linux, nics: {"x[1-2]": {part: {kind: nic, speed: 40G}}}}
links: [{ends: [a.cx5.1, b.x1]}, {ends: [a.cx3.2, b.x2]}]
classes: {roce: {priority: 3, dscp: 26, lossless: true, ecn: true, share: 60%}}
`
	p := configtest.Text(t, text)
	h := p.Hosts[0]
	without(h, func(s plan.Setting) bool { return s.Kind != plan.SetQoS && s.Kind != plan.SetLink })
	w := newWorld(t)
	w.sysfs(t, nic{"cx5p1", "0000:01:00.0", "15b3:1017", "0", false},
		nic{"cx3p2", "0000:02:00.0", "15b3:1007", "1", false})
	w.fakes(t, "cx5p1", "cx3p2")
	for _, f := range []string{"class/net/cx5p1/ecn/roce_np/enable/3", "class/net/cx5p1/ecn/roce_rp/enable/3",
		"infiniband/mlx5_0/tc/1/traffic_class", "infiniband/mlx4_0/tc/2/traffic_class"} {
		w.write(t, "sys/"+f, "0\n")
	}
	w.must(t,
		`mkdir -p sys/devices/0000:01:00.0/infiniband/mlx5_0 sys/devices/0000:02:00.0/infiniband/mlx4_0; ln -s ../infiniband sys/class/infiniband
echo 'IB/RoCE v1' >fake/cma_roce_mode.mlx5_0.1; echo 0 >fake/cma_roce_tos.mlx5_0.1; echo 'RoCE v2' >fake/cma_roce_mode.mlx4_0.2; echo 32 >fake/cma_roce_tos.mlx4_0.2`)
	w.put(t, rendered(t, p, h))
	all := func() string {
		return w.must(t, "cd fake && grep -r . . | sort; cd ../sys && grep -rs '' class/net/*/ecn infiniband")
	}
	before := all()
	out, code := w.run(t, "sh apply.sh")
	// A ConnectX-3's driver has no files for ECN.
	if code != 3 || strings.Count(out, "not set:") != 2 || strings.Count(out, "not set: ECN") != 2 {
		t.Fatalf("apply: exit %d: %s", code, out)
	}
	after := all()
	for _, want := range []string{"dcb.cx5p1.dcbx:host ieee", "dcb.cx5p1.app.dscp-prio:26:3 48:6",
		"dcb.cx5p1.pfc.prio-pfc:0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off", "dcb.cx5p1.ets.willing:off",
		"dcb.cx5p1.ets.prio-tc:0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0",
		"dcb.cx5p1.ets.tc-tsa:0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict",
		"dcb.cx5p1.ets.tc-bw:0:40 1:0 2:0 3:60 4:0 5:0 6:0 7:0", "pause.cx5p1:off off", "pause.cx3p2:off off",
		"mlnx.cx3p2.pfc:0,0,0,1,0,0,0,0", "mlnx.cx3p2.prio_tc:0,0,0,3,0,0,6,0",
		"mlnx.cx3p2.tsa:ets,strict,strict,ets,strict,strict,strict,strict", "mlnx.cx3p2.tcbw:40,0,0,60,0,0,0,0",
		"cma_roce_mode.mlx5_0.1:RoCE v2", "cma_roce_tos.mlx5_0.1:106", "cma_roce_tos.mlx4_0.2:106",
		"infiniband/mlx5_0/tc/1/traffic_class:106", "infiniband/mlx4_0/tc/2/traffic_class:106",
		"class/net/cx5p1/ecn/roce_np/enable/3:1"} {
		if !strings.Contains(after, want+"\n") {
			t.Errorf("no %q in:\n%s", want, after)
		}
	}
	// The driver of a ConnectX-3 shows no ECN, so it is unknown.
	verify := func(want int, lines ...string) (out string) {
		t.Helper()
		out, code := w.run(t, "sh verify.sh")
		if code != want {
			t.Errorf("verify: exit %d, want %d: %s", code, want, out)
		}
		for _, l := range lines {
			if !strings.Contains(out, l) {
				t.Errorf("verify: no %q: %s", l, out)
			}
		}
		return out
	}
	verify(3, "not known: ECN (np) of priority 3 on cx3p2 could not be read", "ok trust of cx5p1 is dscp",
		"ok RoCE of cx5p1 is RoCE v2", "ok type of service of RoCE on cx3p2 is 106", "ok PFC of cx3p2 is 0 0 0 1 0 0 0 0")
	// Each changes a different setting, so one run of verify.sh must report all of them and nothing else.
	var spoils, wants []string
	for _, c := range []struct{ spoil, want string }{
		{"echo '0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off' >fake/dcb.cx5p1.pfc.prio-pfc",
			"not as planned: PFC of cx5p1 is 0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off, planned 0:off 1:off 2:off 3:on"},
		{"echo '0:40 1:0 2:0 3:50 4:10 5:0 6:0 7:0' >fake/dcb.cx5p1.ets.tc-bw", "not as planned: shares of cx5p1"},
		{"echo on >fake/dcb.cx5p1.ets.willing", "not as planned: ETS willing of cx5p1 is on, planned off"},
		{"echo '26:3' >fake/dcb.cx5p1.app.dscp-prio", "not as planned: DSCP map of cx5p1 is 26:3, planned 26:3 48:6"},
		{"echo 'lld-managed ieee' >fake/dcb.cx5p1.dcbx", "not as planned: DCBX of cx5p1"},
		{"echo 'on on' >fake/pause.cx3p2", "not as planned: global pause (receive, send) of cx3p2 is on on, planned off off"},
		{"echo 0,0,0,0,0,0,0,0 >fake/mlnx.cx3p2.pfc", "not as planned: PFC of cx3p2"},
		{"echo 50,0,0,50,0,0,0,0 >fake/mlnx.cx3p2.tcbw",
			"not as planned: class of each priority, ETS or strict, shares of cx3p2 is 0,0,0,3,0,0,6,0 " +
				"ets,strict,strict,ets,strict,strict,strict,strict 50,0,0,50"},
		{"echo 0 >fake/cma_roce_tos.mlx5_0.1", "not as planned: type of service of RoCE on cx5p1 is 0, planned 106"},
		{"echo 'IB/RoCE v1' >fake/cma_roce_mode.mlx5_0.1", "not as planned: RoCE of cx5p1 is IB/RoCE v1, planned RoCE v2"},
		{"echo 0 >sys/class/net/cx5p1/ecn/roce_rp/enable/3",
			"not as planned: ECN (rp) of priority 3 on cx5p1 is 0, planned 1"},
		{": >fake/lldpad", "not as planned: lldpad next to the classes of cx5p1 is running, planned absent"},
	} {
		spoils, wants = append(spoils, c.spoil), append(wants, c.want)
	}
	w.must(t, "set -e\n"+strings.Join(spoils, "\n"))
	wants = append(wants, "not as planned: lldpad next to the classes of cx3p2 is running, planned absent")
	out = verify(1, wants...)
	if n := strings.Count(out, "not as planned: "); n != len(wants) {
		t.Errorf("verify: %d settings are not as planned, want %d: %s", n, len(wants), out)
	}
	w.must(t, "rm fake/lldpad")
	w.run(t, "sh apply.sh")
	out = verify(3)
	if strings.Contains(out, "not as planned: ") {
		t.Errorf("verify: not mended: %s", out)
	}
	w.exits(t, 0, "sh undo.sh")
	if got := all(); got != before {
		t.Errorf("after undo:\n%s", difference(strings.Split(before, "\n"), strings.Split(got, "\n")))
	}

	// A driver without DCB: one line reports it, and nothing of it is known afterwards.
	w.must(t, ": >fake/nodcb")
	w.exits(t, 3, "sh apply.sh", "not set: traffic classes of cx5p1: its driver has no DCB")
	verify(1, "not known: PFC of cx5p1 could not be read", "not known: trust of cx5p1 could not be read",
		"not as planned: global pause (receive, send) of cx5p1 is on on")
}
