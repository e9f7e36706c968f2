package rdma

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/traffic"
)

// tree writes the files of a sysfs: path -> text.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// nic is a two-port RoCE NIC as mlx5 shows it: each GID in both types, a VLAN on the first port.
func nic() map[string]string {
	const p = "class/infiniband/mlx5_0/ports/1/"
	return map[string]string{"class/infiniband/mlx5_0/node_type": "1: CA",
		"class/infiniband/mlx5_0/device/vendor": "0x15b3", p + "link_layer": "Ethernet", p + "state": "4: ACTIVE",
		p + "gids/0": "fe80:0000:0000:0000:0e42:a1ff:fe00:0001", p + "gid_attrs/types/0": "IB/RoCE v1",
		p + "gid_attrs/ndevs/0": "enp1s0f0", p + "gids/1": "fe80:0000:0000:0000:0e42:a1ff:fe00:0001",
		p + "gid_attrs/types/1": "RoCE v2", p + "gid_attrs/ndevs/1": "enp1s0f0",
		p + "gids/2": "0000:0000:0000:0000:0000:ffff:0a09:0001", p + "gid_attrs/types/2": "IB/RoCE v1",
		p + "gid_attrs/ndevs/2": "enp1s0f0", p + "gids/3": "0000:0000:0000:0000:0000:ffff:0a09:0001",
		p + "gid_attrs/types/3": "RoCE v2", p + "gid_attrs/ndevs/3": "enp1s0f0",
		p + "gids/10": "0000:0000:0000:0000:0000:ffff:0a0b:0001", p + "gid_attrs/types/10": "RoCE v2",
		p + "gid_attrs/ndevs/10": "enp1s0f0.711", p + "gids/4": "0000:0000:0000:0000:0000:0000:0000:0000"}
}

func TestFindRDMA(t *testing.T) {
	ib := map[string]string{"class/infiniband/mlx4_0/node_type": "1: CA",
		"class/infiniband/mlx4_0/ports/1/link_layer":      "InfiniBand",
		"class/infiniband/mlx4_0/ports/1/state":           "4: ACTIVE",
		"class/infiniband/mlx4_0/ports/1/gids/0":          "fe80:0000:0000:0000:0002:c903:0000:0001",
		"class/infiniband/mlx4_0/device/net/ib0/dev_port": "0",
		"class/infiniband/mlx4_0/ports/2/link_layer":      "InfiniBand", "class/infiniband/mlx4_0/ports/2/state": "2: INIT",
		"class/infiniband/mlx4_0/device/net/ib1/dev_port": "1"}
	rxe := map[string]string{"class/infiniband/rxe0/node_type": "1: CA", "class/infiniband/rxe0/parent": "eth0",
		"class/infiniband/rxe0/ports/1/link_layer": "Ethernet", "class/infiniband/rxe0/ports/1/state": "4: ACTIVE",
		"class/infiniband/rxe0/ports/1/gids/1":            "0000:0000:0000:0000:0000:ffff:0a09:0001",
		"class/infiniband/rxe0/ports/1/gid_attrs/types/1": "RoCE v2"}
	siw := map[string]string{"class/infiniband/siw0/node_type": "4: RNIC",
		"class/infiniband/siw0/ports/1/link_layer":        "Ethernet",
		"class/infiniband/siw0/ports/1/state":             "4: ACTIVE",
		"class/infiniband/siw0/ports/1/gids/0":            "5254:0012:0001:0000:0000:0000:0000:0000",
		"class/infiniband/siw0/ports/1/gid_attrs/ndevs/0": "eth0"}
	down := nic()
	down["class/infiniband/mlx5_0/ports/1/state"] = "1: DOWN"
	for _, c := range []struct {
		name, netdev, local string
		files               map[string]string
		ask                 traffic.VerbsOptions
		want                rdmaPort
		wrong               []string // of the error; nil: none
	}{
		{"RoCE v2 by address", "enp1s0f0", "10.9.0.1", nic(), traffic.VerbsOptions{},
			rdmaPort{"mlx5_0", 1, traffic.LinkRoCEv2, 3, "::ffff:10.9.0.1", false}, nil},
		{"RoCE v1 by type", "enp1s0f0", "10.9.0.1", nic(), traffic.VerbsOptions{Link: traffic.LinkRoCEv1},
			rdmaPort{"mlx5_0", 1, traffic.LinkRoCEv1, 2, "::ffff:10.9.0.1", false}, nil},
		{"the VLAN's own", "enp1s0f0.711", "10.11.0.1", nic(), traffic.VerbsOptions{Link: traffic.LinkRoCEv2},
			rdmaPort{"mlx5_0", 1, traffic.LinkRoCEv2, 10, "::ffff:10.11.0.1", false}, nil},
		{"by name", "", "10.9.0.1", nic(), traffic.VerbsOptions{Device: "mlx5_0"},
			rdmaPort{"mlx5_0", 1, traffic.LinkRoCEv2, 3, "::ffff:10.9.0.1", false}, nil},
		{"InfiniBand", "ib0", "10.9.0.1", ib, traffic.VerbsOptions{Link: traffic.LinkIB},
			rdmaPort{"mlx4_0", 1, traffic.LinkIB, 0, "fe80:0000:0000:0000:0002:c903:0000:0001", false}, nil},
		{"soft RoCE", "eth0", "10.9.0.1", rxe, traffic.VerbsOptions{},
			rdmaPort{"rxe0", 1, traffic.LinkRoCEv2, 1, "::ffff:10.9.0.1", true}, nil},
		{"soft iWARP", "eth0", "10.9.0.1", siw, traffic.VerbsOptions{Link: traffic.LinkIWARP},
			rdmaPort{"siw0", 1, traffic.LinkIWARP, 0, "5254:0012:0001:0000:0000:0000:0000:0000", true}, nil},

		{"to itself", "lo", "10.9.0.1", rxe, traffic.VerbsOptions{},
			rdmaPort{"rxe0", 1, traffic.LinkRoCEv2, 1, "::ffff:10.9.0.1", true}, nil},
		{"to itself, another address", "lo", "10.9.0.7", rxe, traffic.VerbsOptions{}, rdmaPort{},
			[]string{"10.9.0.7 is on the loopback interface, over which no RDMA device works", "rxe0 port 1 (over eth0)",
				"ip address add"}},

		{"none at all", "eth0", "10.9.0.1", map[string]string{"class/net/eth0/ifindex": "2"}, traffic.VerbsOptions{},
			rdmaPort{}, []string{"no RDMA device", "rdma link add rxe0 type rxe netdev eth0"}},
		{"another interface", "eno1", "10.9.0.1", nic(), traffic.VerbsOptions{}, rdmaPort{},
			[]string{"no RDMA device of this host works over eno1", "mlx5_0 port 1 (over enp1s0f0, enp1s0f0.711)"}},
		{"no such name", "enp1s0f0", "10.9.0.1", nic(), traffic.VerbsOptions{Device: "mlx5_7"}, rdmaPort{},
			[]string{"mlx5_7", "it has: mlx5_0"}},
		{"no interface has the address", "", "10.9.0.9", nic(), traffic.VerbsOptions{}, rdmaPort{},
			[]string{"10.9.0.9", "set the address", "--device mlx5_0"}},
		{"no GID of the address", "enp1s0f0", "10.9.0.2", nic(), traffic.VerbsOptions{}, rdmaPort{},
			[]string{"no GID of type RoCE v2 for the address 10.9.0.2", "3 10.9.0.1 (RoCE v2)"}},
		{"no GID of the type", "eth0", "10.9.0.1", rxe, traffic.VerbsOptions{Link: traffic.LinkRoCEv1}, rdmaPort{},
			[]string{"no GID of type IB/RoCE v1", "1 10.9.0.1 (RoCE v2)"}},
		{"no subnet manager", "ib1", "10.9.0.1", ib, traffic.VerbsOptions{}, rdmaPort{},
			[]string{"mlx4_0 port 2", "INIT", "subnet manager", "opensm"}},
		{"down", "enp1s0f0", "10.9.0.1", down, traffic.VerbsOptions{}, rdmaPort{},
			[]string{"its state is DOWN", "ip link set dev enp1s0f0 up", "cable"}},
		{"Ethernet for InfiniBand", "enp1s0f0", "10.9.0.1", nic(), traffic.VerbsOptions{Link: traffic.LinkIB}, rdmaPort{},
			[]string{"link layer is Ethernet", "wants ib", "LINK_TYPE_P1=1"}},
		{"InfiniBand for Ethernet", "ib0", "10.9.0.1", ib, traffic.VerbsOptions{Link: traffic.LinkRoCEv2}, rdmaPort{},
			[]string{"link layer is InfiniBand", "LINK_TYPE_P1=2"}},
		{"RoCE for iWARP", "eth0", "10.9.0.1", rxe, traffic.VerbsOptions{Link: traffic.LinkIWARP}, rdmaPort{},
			[]string{"speaks RoCE", "wants iwarp"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := findRDMA(tree(t, c.files), c.netdev, netip.MustParseAddr(c.local), c.ask)
			if c.wrong == nil {
				if err != nil || got != c.want {
					t.Fatalf("got %+v, %v; want %+v", got, err, c.want)
				}
				return
			}
			if err == nil {
				t.Fatalf("no error, got %+v", got)
			}
			for _, part := range c.wrong {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q is not in: %v", part, err)
				}
			}
		})
	}
}
