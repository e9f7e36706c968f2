package placement

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fakeSys makes a sysfs of two sockets with four cores each, a node of memory alone, NICs on both nodes, a bond over
// both and one over two ports of the second.
func fakeSys(t *testing.T) string {
	sys := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(sys, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(name, to string) {
		t.Helper()
		path := filepath.Join(sys, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(sys, to), path); err != nil {
			t.Skipf("this system makes no symbolic links: %v", err)
		}
	}
	put("devices/system/node/node0/cpulist", "0-1,4-5\n")
	put("devices/system/node/node1/cpulist", "2-3,6-7\n")
	put("devices/system/node/node2/cpulist", "\n") // memory alone
	for i, c := range []struct {
		name, bus, node string
	}{{"eth0", "pci0000:00/0000:01:00.0", "0"}, {"eth1", "pci0000:80/0000:81:00.0", "1"},
		{"eth2", "pci0000:80/0000:81:00.1", "1"}, {"eth3", "pci0000:00/0000:02:00.0", "-1"}} {
		put("devices/"+c.bus+"/numa_node", c.node+"\n")
		put("class/net/"+c.name+"/ifindex", fmt.Sprintln(i+2))
		link("class/net/"+c.name+"/device", "devices/"+c.bus)
	}
	put("devices/pci0000:80/0000:82:00.0/numa_node", "1\n") // a virtio NIC: its device is below the one on the bus
	put("devices/pci0000:80/0000:82:00.0/virtio5/status", "\n")
	put("class/net/eth4/ifindex", "6\n")
	link("class/net/eth4/device", "devices/pci0000:80/0000:82:00.0/virtio5")
	for name, below := range map[string][]string{"bond0": {"eth0", "eth1"}, "bond1": {"eth1", "eth2"},
		"vlan7": {"bond1"}, "veth0": nil} {
		put("class/net/"+name+"/ifindex", "20\n")
		for _, b := range below {
			link("class/net/"+name+"/lower_"+b, "class/net/"+b)
		}
	}
	return sys
}

func TestNodeOfTheNIC(t *testing.T) {
	sys := fakeSys(t)
	for _, c := range []struct {
		device string
		index  int
		node   int
		why    string
	}{
		{"eth0", 2, 0, ""}, {"eth1", 3, 1, ""}, {"eth4", 6, 1, ""}, {"bond1", 20, 1, ""}, {"vlan7", 20, 1, ""},
		{"eth1", 0, 1, ""},
		{"bond0", 20, -1, "several nodes"}, {"veth0", 20, -1, "no device behind it"}, {"eth3", 5, -1, "no particular node"},
		{"eth1", 9, -1, "another network namespace"}, {"eth9", 1, -1, "does not show eth9"},
		{"", 0, -1, "no interface has the address"},
	} {
		l := NewLayout(sys, c.device, c.index)
		if l.nic != c.node || (c.why == "") != (l.nicWhy == "") || !strings.Contains(l.nicWhy, c.why) {
			t.Errorf("%s: node %d, %q; want %d, %q", c.device, l.nic, l.nicWhy, c.node, c.why)
		}
		if len(l.cores) != 2 || !slices.Equal(l.cores[1], []int{2, 3, 6, 7}) {
			t.Errorf("nodes %v", l.cores)
		}
	}
	if l := NewLayout(t.TempDir(), "eth0", 1); l.cores != nil || l.nic != -1 || l.why == "" {
		t.Errorf("without sysfs: %+v", l)
	}
}

func TestPlaceOnNodes(t *testing.T) {
	sys := fakeSys(t)
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	l := NewLayout(sys, "eth1", 3)
	for _, c := range []struct {
		nodes, allowed, want []int
		text, err            string
	}{
		{[]int{0}, all, []int{0, 1, 4, 5}, "cores 0,1,4,5 on node0, eth1 on node1", ""},
		{[]int{1, 0}, all, []int{2, 3, 6, 7, 0, 1, 4, 5}, "cores 2,3,6,7,0,1,4,5 on node1 and node0, eth1 on node1", ""},
		{[]int{1}, []int{0, 3}, []int{3}, "cores 3 on node1, eth1 on node1", ""},
		{[]int{1}, []int{0, 1}, nil, "", "node1: this process may use none of its cores (2,3,6,7); its own set is 0,1"},
		{[]int{2}, all, nil, "", "node2: this host has no such node with cores; it has node0, node1"},
	} {
		got, err := l.CoresOf(c.nodes, c.allowed)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v: %v; want %q", c.nodes, err, c.err)
			}
			continue
		}
		if err != nil || !slices.Equal(got, c.want) || l.text(got, true) != c.text {
			t.Errorf("%v of %v: %v %q %v; want %v %q", c.nodes, c.allowed, got, l.text(got, true), err, c.want, c.text)
		}
	}
	if _, err := NewLayout(t.TempDir(), "eth0", 1).CoresOf([]int{0}, all); err == nil ||
		!strings.Contains(err.Error(), "nodes are not known") {
		t.Errorf("without sysfs: %v", err)
	}

	// auto: an end alone on its machine begins with the cores of the NIC's node; two ends on one machine divide it as
	// before.
	x := &Affinity{first: true, allowed: all, layout: l}
	if got, want := Spread.Cores(true, x.order(Spread)), []int{2, 3, 6, 7, 0, 1, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("spread: %v, want %v", got, want)
	}
	if got, want := Apart.Cores(true, x.order(Apart)), []int{0, 1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("apart: %v, want %v", got, want)
	}
	for name, l := range map[string]*Layout{"no layout": nil, "NIC not known": NewLayout(sys, "veth0", 20),
		"one node": {cores: map[int][]int{0: all}, nic: 0}} {
		if got := l.Prefer(all); !slices.Equal(got, all) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if one := (&Layout{cores: map[int][]int{0: all}, nic: 0, Device: "eth0"}); one.text(all, false) != "cores 0-7" ||
		one.text(nil, true) != "free" {
		t.Errorf("one node: %q", one.text(all, false))
	}
}

func TestParsePlacement(t *testing.T) {
	for text, want := range map[string]string{"0,2-3": "[0 2 3] []", "node0": "[] [0]", "node1, node0,node1": "[] [1 0]",
		"node": "", "node-1": "", "node0,3": "", "3,node0": "", "node+1": "", "nodes": "", "node1024": "",
		"node1023": "[] [1023]", "": ""} {
		cores, nodes, err := Parse(text)
		if got := fmt.Sprint(cores, nodes); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q: %s %v, want %q", text, got, err, want)
		}
	}
}

func FuzzParsePlacement(f *testing.F) {
	f.Add("node0,node1")
	f.Add("0-3,node")
	f.Fuzz(func(t *testing.T, text string) {
		cores, nodes, err := Parse(text)
		if err == nil && (len(cores) == 0) == (len(nodes) == 0) {
			t.Errorf("%q: %v and %v", text, cores, nodes)
		}
		for _, n := range nodes {
			if err != nil || n < 0 || n > MostNodes {
				t.Errorf("%q: %v", text, nodes)
			}
		}
	})
}
