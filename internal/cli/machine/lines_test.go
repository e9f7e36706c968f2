package machine

import (
	"os"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/read"
)

// The lines of a host, of its RDMA devices, and of what is not known.
func TestFactsLines(t *testing.T) {
	lines := func(text string) string {
		t.Helper()
		f, err := read.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(Lines(f), "\n")
	}
	guest, err := os.ReadFile("../../facts/read/testdata/guest.full.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"a guest", string(guest), `kernel 6.12.117+deb12-amd64; 16 modules loaded; 1 RDMA device
rxe0: CA, firmware 0.0.0; port 1 ACTIVE, LinkUp, Ethernet, 2.50 Gb/s (1X SDR), active MTU 1024
  GIDs: 0 fe80::5054:ff:fe2c:697d, RoCE v2 on rdma; 1 10.0.2.1, RoCE v2 on rdma`},
		{"nothing is known", "os linux\nunknown proc/modules: it is not there\n-- proc/stat --\ncpu0 1 2 3 4\n",
			"kernel not known; its modules are not known: /proc/modules is not there; its RDMA devices are not known: the " +
				"snapshot does not have them"},
		{"no device", "os linux\n-- proc/modules --\na 1 0 - Live 0x0\n-- ls /sys/class/infiniband --\n",
			"kernel not known; 1 module loaded; no RDMA device"},
		{"two ports, one with many GIDs", `os linux
-- grep -r . /sys/class/infiniband/mlx4_0 --
/sys/class/infiniband/mlx4_0/hca_type:MT4099
/sys/class/infiniband/mlx4_0/ports/1/gids/0:0000:0000:0000:0000:0000:0000:0000:0000
/sys/class/infiniband/mlx4_0/ports/2/gids/0:fe80::1
/sys/class/infiniband/mlx4_0/ports/2/gids/1:fe80::2
/sys/class/infiniband/mlx4_0/ports/2/gids/2:fe80::3
/sys/class/infiniband/mlx4_0/ports/2/gids/3:fe80::4
/sys/class/infiniband/mlx4_0/ports/2/gids/4:fe80::5
/sys/class/infiniband/mlx4_0/ports/2/gid_attrs/types/0:RoCE\x1b[31m v2
`, `kernel not known; its modules are not known: the snapshot does not have them; 1 RDMA device
mlx4_0: type not known, firmware not known, MT4099; port 1 state not known, physical state not known, link layer not known, rate not known, active MTU not known (sysfs does not name it; ibv_devinfo does); port 2 state not known, physical state not known, link layer not known, rate not known, active MTU not known (sysfs does not name it; ibv_devinfo does)
  port 1: GIDs: none is set
  port 2: GIDs: 0 fe80::1, RoCE[31m v2; 1 fe80::2, type not known; 2 fe80::3, type not known; 3 fe80::4, type not known; and 1 more`},
	} {
		if got := lines(strings.ReplaceAll(c.text, `\x1b`, "\x1b")); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// The neighbour at the other end of a port's cable, in the lines of facts.
func TestFactsNeighbour(t *testing.T) {
	one := facts.LLDPNeighbour{Chassis: facts.LLDPID{Kind: facts.LLDPMAC, Value: "02:00:00:00:05:00"},
		Port: facts.LLDPID{Kind: facts.LLDPInterface, Value: "Eth1/19"}, System: "leaf1"}
	described := one
	described.PortDescription = "to nas"
	bare := facts.LLDPNeighbour{Chassis: one.Chassis}
	for _, c := range []struct {
		heard     []facts.LLDPNeighbour
		why, want string
	}{
		{nil, "", ""},
		{nil, "neither lldpd nor systemd-networkd's LLDP is there", "not known: neither lldpd nor systemd-networkd's LLDP " +
			"is there"},
		{[]facts.LLDPNeighbour{}, "", "no LLDP neighbour"},
		{[]facts.LLDPNeighbour{one}, "", "leaf1, port Eth1/19"},
		{[]facts.LLDPNeighbour{described, bare}, "", "leaf1, port Eth1/19 (to nas); 02:00:00:00:05:00"},
		{[]facts.LLDPNeighbour{one, one, one, one, one}, "", "leaf1, port Eth1/19; leaf1, port Eth1/19; leaf1, port " +
			"Eth1/19; 2 more"},
	} {
		n := &facts.Interface{Name: "e1", LLDP: c.heard}
		if got := neighbourText(&facts.Facts{LLDPWhy: c.why}, n); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	text, err := read.Parse([]byte(
		"host a\nos linux\n-- lldpctl --\nLLDP neighbors:\nInterface:    e1, via: LLDP, RID: 1, Time: 0 day, 00:00:05\n  " +
			"Chassis:\n    SysName:      sw\n  Port:\n    PortID:       ifname p7\n"))
	if err != nil || text.NIC("e1") == nil {
		t.Fatal(err)
	}
	if got := otherText(text, text.NIC("e1")); !strings.Contains(got, "cable to sw, port p7") {
		t.Errorf("%q", got)
	}
}
