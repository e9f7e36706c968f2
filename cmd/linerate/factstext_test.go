package main

import (
	"os"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/lab"
)

// What is told of a host, of its RDMA devices, and of what is not known.
func TestFactsLines(t *testing.T) {
	lines := func(text string) string {
		t.Helper()
		f, err := facts.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(factsLines(f), "\n")
	}
	guest, err := os.ReadFile("../../internal/facts/testdata/guest.full.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"a guest", string(guest), `kernel 6.12.117+deb12-amd64; 16 modules loaded; 1 RDMA device
rxe0: CA, firmware 0.0.0; port 1 ACTIVE, LinkUp, Ethernet, 2.50 Gb/s (1X SDR), active MTU 1024
  GIDs: 0 fe80::5054:ff:fe2c:697d, RoCE v2 on rdma; 1 10.0.2.1, RoCE v2 on rdma`},
		{"nothing is known", "os linux\nunknown proc/modules: it is not there\n-- proc/stat --\ncpu0 1 2 3 4\n",
			"kernel not known; its modules are not known: /proc/modules is not there; its RDMA devices are not known: the capture does not have them"},
		{"no device", "os linux\n-- proc/modules --\na 1 0 - Live 0x0\n-- ls /sys/class/infiniband --\n", "kernel not known; 1 module loaded; no RDMA device"},
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
`, `kernel not known; its modules are not known: the capture does not have them; 1 RDMA device
mlx4_0: type not known, firmware not known, MT4099; port 1 state not known, physical state not known, link layer not known, rate not known, active MTU not known (sysfs does not name it; ibv_devinfo does); port 2 state not known, physical state not known, link layer not known, rate not known, active MTU not known (sysfs does not name it; ibv_devinfo does)
  port 1: GIDs: none is set
  port 2: GIDs: 0 fe80::1, RoCE[31m v2; 1 fe80::2, type not known; 2 fe80::3, type not known; 3 fe80::4, type not known; and 1 more`},
	} {
		if got := lines(strings.ReplaceAll(c.text, `\x1b`, "\x1b")); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestLabHosts(t *testing.T) {
	for want, l := range map[string]lab.Summary{
		"1 host":                     {Hosts: []string{"a"}},
		"3 hosts, 2 guests: nas, ws": {Hosts: []string{"nas", "ws", "b"}, Guests: []string{"nas", "ws"}},
		"2 hosts, 1 guest that did not come up: a": {Hosts: []string{"a", "b"}, Failed: []string{"a"}},
	} {
		if got := labHosts(l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
