package read

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/testenv"
)

func countOf(f *facts.Facts, what facts.Counted, subject string) string {
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
	if s := f.Setting("0000:c1:00.0", "LINK_TYPE_P1"); s == nil || s.Line != "* LINK_TYPE_P1 IB(1) IB(1) ETH(2)" {
		t.Errorf("%+v", f.Firmware)
	}
}

// TestClassesInEffect: mlnx_qos and dcb give the same facts for two ports with equal settings.
func TestClassesInEffect(t *testing.T) {
	f := load(t, "rdma.roce.txtar")
	for tool, name := range map[string]string{"mlnx_qos": "ens2f0", "dcb": "ens2f1"} {
		if pfc, why := f.NIC(name).Effect.PFC(); !slices.Equal(pfc, []int{3}) || why != "" {
			t.Errorf("%s: %v %s", tool, pfc, why)
		}
	}
}

// TestCanonicalRDMA recognizes common forms of commands.
func TestCanonicalRDMA(t *testing.T) {
	for name, want := range map[string]string{"sudo ibstat mlx5_0": "ibstat",
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
		"smpquery portinfo 12 1":                      "smpquery portinfo"} {
		if got := canonical(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestDCBAsJSON: the JSON of iproute2's dcb and rdma gives the same facts as their text. It was written from their
// source; no snapshot exists.
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
	if pfc, why := c.PFC(); !slices.Equal(pfc, []int{3}) || why != "" || c.DSCP[26] != 3 || c.Willing.Or(true) ||
		c.Trust.Or("") != "both" || c.Priorities[6] != 6 || c.Queues[3].Weight.Or(0) != 60 || c.Queues[3].Strict.Or(true) {
		t.Errorf("%v %s %+v", pfc, why, c)
	}
	if got := countOf(f, facts.PauseReceived, "e0") + "; " + countOf(f, facts.PauseSent, "e0") + "; " + countOf(f,
		facts.OutOfSequence, "rxe0"); got != "8 of 0; 5 of 0; 4 of 200" {
		t.Error(got)
	}
	if f.RDMADevice("rxe0").Ports[0].Interface.Or("") != "e0" {
		t.Errorf("%+v", f.RDMA)
	}
}

// TestRDMANothing: empty outputs and those of other programs are unknown, never none.
func TestRDMANothing(t *testing.T) {
	for _, source := range []string{"ibstat", "ibstatus", "rdma link", "show_gids", "dcb pfc show dev e0",
		"dcb app show dev e0", "dcb ets show dev e0", "mlnx_qos -i e0", "mlxlink -d x", "iblinkinfo", "perfquery"} {
		for _, text := range []string{"", "\n", "command not found\n", "Error: Cannot open device\n", "\x00\xff\n"} {
			f := testenv.Must(Parse([]byte("os linux\n-- " + source + " --\n" + text)))(t)
			if len(f.Unknown) != 1 || f.GIDs != nil || len(f.RDMA) > 0 {
				t.Errorf("%s of %q: %v, %+v", source, text, f.Unknown, f.RDMA)
			}
			if n := f.NIC("e0"); n != nil && n.Effect != nil {
				t.Errorf("%s of %q: %+v", source, text, n.Effect)
			}
		}
	}
}
