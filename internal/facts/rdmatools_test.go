package facts

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func countOf(f *Facts, what Counted, subject string) string {
	var out []string
	for _, c := range f.Counts {
		if c.What == what && c.Subject == subject {
			out = append(out, fmt.Sprintf("%d of %d", c.Value, c.Of.Or(0)))
		}
	}
	return strings.Join(out, ", ")
}

func TestRoCETools(t *testing.T) {
	f := load(t, "rdma.roce.txtar")
	if len(f.Unknown) > 0 {
		t.Errorf("%v", f.Unknown)
	}
	d := f.RDMADevice("mlx5_0")
	if len(f.RDMA) != 2 || d == nil || d.PCI != "0000:c1:00.0" || d.Firmware.Or("") != "16.35.1012" || d.NodeType.Or("") != "CA" {
		t.Fatalf("%+v", f.RDMA)
	}
	p := d.Ports[0]
	if p.State.Or("") != "ACTIVE" || p.PhysState.Or("") != "LinkUp" || p.Interface.Or("") != "ens2f0" || p.ToS.Or(0) != 106 || p.Mode.Or("") != "RoCE v2" {
		t.Errorf("%+v", p)
	}
	if g := p.GIDs; len(g) != 4 || g[3].GID.Unmap().String() != "10.20.1.1" || g[3].Type.Or("") != "RoCE v2" || g[3].Interface.Or("") != "ens2f0" || g[0].Type.Or("") != "IB/RoCE v1" {
		t.Errorf("%+v", g)
	}
	if q := f.RDMADevice("mlx5_1").Ports[0]; q.State.Or("") != "DOWN" || q.PhysState.Or("") != "Disabled" || q.Interface.Or("") != "ens2f1" {
		t.Errorf("%+v", q)
	}
	for _, c := range []struct {
		what    Counted
		subject string
		want    string
	}{
		{OutOfSequence, "mlx5_0", "21 of 0, 4 of 0"}, {NoBuffer, "mlx5_0", "3 of 0"}, {Marked, "mlx5_0", "1234 of 0"}, {OutOfSequence, "mlx5_1", "2 of 0"},
		{BadBlocks, "mt4119_pciconf0", "12 of 0"}, {LinkDowns, "mt4119_pciconf0", "3 of 0"},
	} {
		if got := countOf(f, c.what, c.subject); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.what, c.subject, got, c.want)
		}
	}
	if len(f.Phys) != 1 || f.Phys[0].RawBER.Or(0) != 3e-5 || f.Phys[0].EffectiveBER.Or(1) != 0 || f.Phys[0].Lanes != 4 || f.Phys[0].Speed != "100G" || len(f.Phys[0].Enabled) != 6 || f.Phys[0].Minutes.Or(0) != 60.5 {
		t.Errorf("%+v", f.Phys)
	}
	if s := f.Setting("0000:c1:00.0", "LINK_TYPE_P1"); len(f.Firmware) != 3 || s == nil || s.Default != "IB(1)" || s.Current != "IB(1)" || s.Next != "ETH(2)" || s.Line != "* LINK_TYPE_P1 IB(1) IB(1) ETH(2)" {
		t.Errorf("%+v", f.Firmware)
	}
}

// What mlnx_qos and dcb say of two ports that are set alike has one meaning.
func TestClassesInEffect(t *testing.T) {
	f := load(t, "rdma.roce.txtar")
	a, b := f.NIC("ens2f0").Effect, f.NIC("ens2f1").Effect
	for name, c := range map[string]*Classes{"mlnx_qos": a, "dcb": b} {
		pfc, why := c.PFC()
		if !reflect.DeepEqual(pfc, []int{3}) || why != "" || c.DSCP[26] != 3 || c.DSCP[48] != 6 || c.Priorities[3] != 3 || c.Priorities[6] != 6 || c.BufferOf[3] != 1 || c.BufferOf[0] != 0 {
			t.Errorf("%s: %v %s, %v, %v, %v", name, pfc, why, c.DSCP, c.Priorities, c.BufferOf)
		}
		if q := c.Queues[3]; q.Strict.Or(true) || q.Weight.Or(0) != 60 {
			t.Errorf("%s: queue 3: %+v", name, q)
		}
		if !c.Queues[6].Strict.Or(false) {
			t.Errorf("%s: queue 6: %+v", name, c.Queues[6])
		}
		if c.Proofs["pfc"].Line == "" || c.Proofs["dscp 26"].Line == "" || c.Proofs["trust"].Line == "" || c.Proofs["queue 3"].Line == "" {
			t.Errorf("%s: %v", name, c.Proofs)
		}
	}
	if a.Trust.Or("") != "dscp" || a.ToS.Or(0) != 106 || a.Buffers[1] != 156096 || a.Agents != nil || a.Queues[7].Strict.IsKnown() {
		t.Errorf("mlnx_qos: %+v", a)
	}
	if b.Trust.Or("") != "both" || b.Capacity.Or(0) != 8 || !b.Willing.Or(false) || b.Buffers[1] != 156000 || !slices.Equal(b.Agents, []string{"firmware", "lldpad"}) || !b.DCBX.Or(false) {
		t.Errorf("dcb: %+v", b)
	}
	if got := b.Proofs["willing"].Line; got != "willing on ets-cap 8 cbs off" {
		t.Error(got)
	}
}

func TestInfiniBandTools(t *testing.T) {
	f := load(t, "rdma.ib.txtar")
	if len(f.Unknown) > 0 {
		t.Errorf("%v", f.Unknown)
	}
	p := f.RDMADevice("mlx5_0").Ports[0]
	if p.State.Or("") != "INIT" || p.PhysState.Or("") != "LinkUp" || p.SMLid.Or(9) != 0 || p.Rate.Or(0) != 100e9 || p.Lanes.Or(0) != 2 || p.Lane != "HDR" {
		t.Errorf("%+v", p)
	}
	if q := f.RDMADevice("mlx4_0").Ports; len(q) != 2 || q[1].Rate.Or(0) != 40e9 || q[1].Lane != "FDR10" || q[0].PhysState.Or("") != "Polling" {
		t.Errorf("%+v", q)
	}
	if u := f.RDMADevice(unnamedPort).Ports[0]; u.ActiveMTU.Or(0) != 2048 || u.Lane != "EDR" || u.Lanes.Or(0) != 4 || u.SMLid.Or(0) != 7 || len(u.GIDs) != 1 {
		t.Errorf("%+v", u)
	}
	for _, c := range []struct {
		what    Counted
		subject string
		want    string
	}{
		{BadFrames, "lid 12 port 1", "120 of 4000000, 7 of 4000000"}, {LinkDowns, "lid 12 port 1", "2 of 4000000"}, {SendDrops, "lid 12 port 1", "600 of 5000000"},
		{BadFrames, "lid 12 port 2", "0 of 0"}, {BadFrames, "leaf1 port 7", "65535 of 0"}, {BadFrames, "leaf1 port ALL", ""},
	} {
		if got := countOf(f, c.what, c.subject); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.what, c.subject, got, c.want)
		}
	}
	var links []string
	for _, l := range f.IBLinks {
		links = append(links, fmt.Sprintf("%s>%s %s/%s %d %s could %d %s", l.Node, l.Peer, l.State, l.Phys, l.Lanes, l.Lane, l.CouldLanes, l.CouldLane))
	}
	want := []string{
		"Quantum Mellanox Technologies port 1> DOWN/Polling 0  could 0 ",
		"Quantum Mellanox Technologies port 21>node3 HCA-2 port 1 ACTIVE/LinkUp 4 EDR could 0 HDR",
		"Quantum Mellanox Technologies port 22>node4 HCA-1 port 1 ACTIVE/LinkUp 1 HDR could 4 ",
		"Quantum Mellanox Technologies port 23>node5 HCA-1 port 1 INIT/LinkUp 4 HDR could 0 ",
		"o1 HCA-1 port 1>leaf1 port 10 / 4 EDR could 0 ",
		"leaf1 port 11> / 0  could 0 ",
		"the port asked for, LID 12>its peer ACTIVE/LinkUp 1 FDR could 4 EDR",
	}
	if !slices.Equal(links, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(links, "\n"), strings.Join(want, "\n"))
	}
	if y := f.Phys[0]; y.Device != "mlx5_0" || y.Lane != "SDR" || y.Opcode != 25 || y.Advice != "Cable speed not enabled" || y.Firmware != "16.35.4506" {
		t.Errorf("%+v", y)
	}
	var parts []string
	for _, s := range f.Switch.Sensors {
		parts = append(parts, fmt.Sprintf("%s %s %v/%v", s.Kind, s.Name, s.OK.Or(false), s.OK.IsKnown()))
	}
	if got := strings.Join(parts, ", "); got != "psu PSU0 true/true, psu PSU0 DC power true/true, fan PSU0 fan true/true, psu PSU1 false/false, psu PSU1 DC power false/true, fan PSU1 fan false/true, fan fan true/true" {
		t.Error(got)
	}
	if m := f.NIC("ib0"); m.IPoIB.Or("") != "datagram" {
		t.Errorf("%+v", m)
	}
}

// Commands as people write them are known by their names.
func TestCanonicalRDMA(t *testing.T) {
	for name, want := range map[string]string{
		"sudo ibstat mlx5_0":                          "ibstat",
		"rdma -d link show":                           "rdma link",
		"rdma stat show -p":                           "rdma statistic",
		"mlxlink -d /dev/mst/mt4119_pciconf0 -p 1 -m": "mlxlink mt4119_pciconf0",
		"mstconfig -e -d 0000:c1:00.0 q":              "mlxconfig 0000:c1:00.0",
		"dcb -N app show dev eth0 dscp-prio":          "dcb app eth0",
		"/usr/sbin/dcb pfc show dev eth0":             "dcb pfc eth0",
		"mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0":      "mlnx_qos eth0",
		"mlnx_qos --interface=eth0":                   "mlnx_qos eth0",
		"cma_roce_tos -d mlx5_0":                      "cma_roce_tos mlx5_0 1",
		"lldptool -t -i eth0 -V PFC":                  "lldptool eth0",
		"lldptool -t -n -i eth0":                      "lldptool -n eth0",
		"ibdev2netdev | column -t":                    "ibdev2netdev",
		"smpquery portinfo 12 1":                      "smpquery portinfo",
	} {
		if got := canonical(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// The JSON of iproute2's dcb and rdma says what their text says. It was written after their source; no capture was at hand.
func TestDCBAsJSON(t *testing.T) {
	f, err := Parse([]byte(`os linux
-- dcb -j pfc show dev e0 --
[{"pfc_cap":8,"macsec_bypass":false,"delay":0,"prio_pfc":[false,false,false,true,false,false,false,false],"requests":[0,0,0,5,0,0,0,0],"indications":[0,0,0,7,0,0,0,1]}]
-- dcb -j app show dev e0 --
{"dscp_prio":[[26,3],[48,6]],"default_prio":[0]}
-- dcb -j ets show dev e0 --
{"willing":false,"ets_cap":8,"tc_bw":[40,0,0,60,0,0,0,0],"tc_tsa":["ets","strict","strict","ets","strict","strict","strict","strict"],"prio_tc":[0,0,0,3,0,0,6,0]}
-- dcb -j apptrust show dev e0 --
{"order":["dscp","pcp"]}
-- rdma -j link --
[{"ifindex":0,"ifname":"rxe0","port":1,"state":"ACTIVE","physical_state":"LINK_UP","netdev":"e0","netdev_index":2}]
-- rdma -j statistic --
[{"ifname":"rxe0","port":1,"sent_pkts":100,"rcvd_pkts":200,"out_of_seq_request":4}]
`))
	if err != nil || len(f.Unknown) > 0 {
		t.Fatal(err, f.Unknown)
	}
	c := f.NIC("e0").Effect
	if pfc, why := c.PFC(); !slices.Equal(pfc, []int{3}) || why != "" || c.DSCP[26] != 3 || c.Willing.Or(true) || c.Trust.Or("") != "both" || c.Priorities[6] != 6 || c.Queues[3].Weight.Or(0) != 60 || c.Queues[3].Strict.Or(true) {
		t.Errorf("%v %s %+v", pfc, why, c)
	}
	if got := countOf(f, PauseReceived, "e0") + "; " + countOf(f, PauseSent, "e0") + "; " + countOf(f, OutOfSequence, "rxe0"); got != "8 of 0; 5 of 0; 4 of 200" {
		t.Error(got)
	}
	if f.RDMADevice("rxe0").Ports[0].Interface.Or("") != "e0" {
		t.Errorf("%+v", f.RDMA)
	}
}

// Empty and foreign answers are not known, never none.
func TestRDMANothing(t *testing.T) {
	for _, source := range []string{"ibstat", "ibstatus", "rdma link", "show_gids", "dcb pfc show dev e0", "dcb app show dev e0", "dcb ets show dev e0", "mlnx_qos -i e0", "mlxlink -d x", "iblinkinfo", "perfquery"} {
		for _, text := range []string{"", "\n", "command not found\n", "Error: Cannot open device\n", "\x00\xff\n"} {
			f, err := Parse([]byte("os linux\n-- " + source + " --\n" + text))
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Unknown) != 1 || f.GIDs != nil || len(f.RDMA) > 0 {
				t.Errorf("%s of %q: %v, %+v", source, text, f.Unknown, f.RDMA)
			}
			if n := f.NIC("e0"); n != nil && n.Effect != nil {
				t.Errorf("%s of %q: %+v", source, text, n.Effect)
			}
		}
	}
}
