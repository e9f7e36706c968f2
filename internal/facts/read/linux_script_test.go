package read_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/configtest"
	"linerate/internal/device/linux/render"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/testenv"
)

// scripted parses scripts as a user saves them: recognized by their content.
func scripted(t *testing.T, texts map[string]string) *facts.Facts {
	t.Helper()
	files := map[string][]byte{}
	for name, text := range texts {
		files[name] = []byte(text)
	}
	kept, not := read.FromKept("host", files, slices.Sorted(maps.Keys(files)))
	f, err := read.Parse(kept)
	if err != nil || len(not) > 0 || len(f.Unknown) > 0 {
		t.Fatal(err, not, f)
	}
	return f
}

// TestApplyMeansThePlan: the apply.sh of each Linux host of the examples with traffic classes matches the plan when it
// is parsed.
func TestApplyMeansThePlan(t *testing.T) {
	seen := map[string]bool{}
	for _, example := range []string{"examples/roce-100g.yaml", "examples/designs/all-families.yaml"} {
		text := testenv.Must(os.ReadFile("../../../" + example))(t)
		p := configtest.Text(t, string(text))
		q := p.QoS()
		for _, h := range p.Hosts {
			if h.OS != "linux" {
				continue
			}
			d := testenv.Must(render.Host(p, h))(t)
			apply := ""
			for _, file := range d.Files {
				if strings.HasSuffix(file.Name, "apply.sh") {
					apply = file.Text()
				}
			}
			for _, s := range h.Settings {
				if s.Kind != plan.SetQoS {
					continue
				}
				f := scripted(t, map[string]string{"apply.sh": apply})
				n := f.NIC(s.Interface)
				if n == nil || n.Asked == nil {
					t.Errorf("%s: %s: nothing is asked for %s", example, h.Name, s.Interface)
					continue
				}
				seen[example] = true
				if got := meaning(n.Asked); got != planned(q) {
					t.Errorf("%s: %s: %s:\n%s\nthe plan has\n%s", example, h.Name, s.Interface, got, planned(q))
				}
				for _, aspect := range []string{"pfc", "dscp 26", "queue 3", "willing", "pause"} {
					if n.Asked.Proofs[aspect].Line == "" {
						t.Errorf("%s: no line says %s", h.Name, aspect)
					}
				}
			}
		}
	}
	if len(seen) != 2 {
		t.Errorf("scripts of %v", seen)
	}
}

func meaning(c *facts.Classes) string {
	var b strings.Builder
	trust := c.Trust.Or("?")
	if trust == "both" { // DSCP takes precedence
		trust = "dscp"
	}
	pfc, _ := c.PFC()
	fmt.Fprintf(&b, "trust %s, PFC %v, pause %v %v, willing %v\n", trust, pfc, c.PauseRx.Or(true), c.PauseTx.Or(true),
		c.Willing.Or(true))
	for _, k := range slices.Sorted(maps.Keys(c.DSCP)) {
		fmt.Fprintf(&b, "dscp %d: %d\n", k, c.DSCP[k])
	}
	for k := range 8 {
		q := c.Queues[k]
		fmt.Fprintf(&b, "priority %d in %d; queue strict %v, share %g\n", k, c.Priorities[k], q.Strict.Or(false),
			q.Weight.Or(-1))
	}
	return b.String()
}

func planned(q *device.QoS) string {
	var b strings.Builder
	fmt.Fprintf(&b, "trust %s, PFC %v, pause false false, willing false\n", q.Trust, q.Lossless())
	points := map[int]int{}
	strict, share := [8]bool{true, true, true, true, true, true, true, true}, [8]int{}
	for _, k := range q.Classes {
		for _, d := range k.DSCP {
			points[d] = k.Priority
		}
		strict[k.Priority], share[k.Priority] = k.Percent == 0, k.Percent
	}
	for _, d := range slices.Sorted(maps.Keys(points)) {
		fmt.Fprintf(&b, "dscp %d: %d\n", d, points[d])
	}
	for k := range 8 {
		fmt.Fprintf(&b, "priority %d in %d; queue strict %v, share %d\n", k, q.Class(k).Priority, strict[k], share[k])
	}
	return b.String()
}

// TestScriptsOfPeople reads typical notes and scripts.
func TestScriptsOfPeople(t *testing.T) {
	for name, script := range map[string]string{
		"mlnx_qos": `#!/bin/bash
IF=ens2f0
mlnx_qos -i $IF --trust dscp
mlnx_qos -i "$IF" --pfc 0,0,0,1,0,0,0,0   # RoCE
mlnx_qos -i ${IF} --dscp2prio=set,26,3
mlnx_qos -i $IF --prio_tc=0,0,0,3,0,0,6,0 --tsa=ets,strict,strict,ets,strict,strict,strict,strict --tcbw=40,0,0,60,0,0,0,0
ethtool -A $IF rx off tx off
echo 1 > /sys/class/net/$IF/ecn/roce_np/enable/3
echo 1 | sudo tee /sys/class/net/$IF/ecn/roce_rp/enable/3
lldptool -T -i $IF -V PFC willing=no enabled=3 enableTx=yes
`,
		"dcb in a loop": `for i in ens2f0 ens2f1; do
	dcb pfc set dev $i prio-pfc all:off 3:on
	dcb app add dev $i dscp-prio AF31:3
	dcb apptrust set dev $i order dscp
	dcb ets set dev $i willing off prio-tc all:0 3:3 6:6 tc-tsa all:strict 0:ets 3:ets \
		tc-bw all:0 0:40 3:60
	ethtool -A $i rx off tx off
done
ECN() { echo 1 > "/sys/class/net/ens2f0/ecn/roce_np/enable/3"; echo 1 > /sys/class/net/ens2f0/ecn/roce_rp/enable/3; }
echo 1 > "/sys/class/net/ens2f0/ecn/roce_np/enable/3"
echo 1 > "/sys/class/net/ens2f0/ecn/roce_rp/enable/3"
`,
		"a unit of systemd": `[Service]
Type=oneshot
ExecStart=/usr/sbin/dcb pfc set dev ens2f0 prio-pfc all:off 3:on
ExecStart=/usr/sbin/dcb app replace dev ens2f0 dscp-prio 26:3
ExecStart=/usr/sbin/dcb apptrust set dev ens2f0 order dscp pcp
ExecStart=/usr/sbin/dcb ets set dev ens2f0 willing off prio-tc all:0 3:3 6:6 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:40 3:60
ExecStart=/usr/sbin/ethtool -A ens2f0 rx off tx off
ExecStart=/bin/sh -c "echo 1 > /sys/class/net/ens2f0/ecn/roce_np/enable/3"
`,
	} {
		f := scripted(t, map[string]string{"notes.txt": script})
		n := f.NIC("ens2f0")
		if n == nil || n.Asked == nil {
			t.Errorf("%s: nothing is asked", name)
			continue
		}
		const want = `trust dscp, PFC [3], pause false false, willing false
dscp 26: 3
priority 0 in 0; queue strict false, share 40
priority 1 in 0; queue strict true, share 0
priority 2 in 0; queue strict true, share 0
priority 3 in 3; queue strict false, share 60
priority 4 in 0; queue strict true, share 0
priority 5 in 0; queue strict true, share 0
priority 6 in 6; queue strict true, share 0
priority 7 in 0; queue strict true, share 0
`
		if got := meaning(n.Asked); got != want {
			t.Errorf("%s:\n%s", name, got)
		}
		if ecn, known := n.Asked.Queues[3].ECN.Get(); known != (name != "a unit of systemd") || known && !ecn {
			t.Errorf("%s: ECN %v %v", name, ecn, known)
		}
		if name == "dcb in a loop" && f.NIC("ens2f1").Asked == nil {
			t.Errorf("%s: the second interface", name)
		}
	}
}

// TestScriptMarks: the mark of RoCE for an RDMA device is its interface's.
func TestScriptMarks(t *testing.T) {
	f := scripted(t, map[string]string{
		"ibdev2netdev.txt": "mlx5_0 port 1 ==> ens2f0 (Up)\n",
		"setup.sh": "mlnx_qos -i ens2f0 --trust=dscp\ncma_roce_tos -d mlx5_0 -t 104\necho 106 > " +
			"/sys/class/infiniband/mlx5_0/tc/1/traffic_class\n",
	})
	if c := f.NIC("ens2f0").Asked; c.ToS.Or(0) != 106 || c.Proofs["tos"].Line == "" {
		t.Errorf("%+v", c)
	}
}

// TestNoScript: a script that only prints, or names no interface, sets nothing.
func TestNoScript(t *testing.T) {
	for _, text := range []string{"dcb pfc show dev eth0\n", "mlnx_qos -i eth0\n",
		"# dcb pfc set dev eth0 prio-pfc all:off\n", `dcb pfc set dev "$1" prio-pfc $2` + "\n",
		"x() { dcb pfc show dev \"$1\" >/dev/null; }\n"} {
		f := testenv.Must(read.Parse([]byte("-- linux script --\n" + text)))(t)
		if len(f.NICs) > 0 || len(f.Unknown) != 1 {
			t.Errorf("%q: %+v %v", text, f.NICs, f.Unknown)
		}
	}
}
