package lab

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
)

func volumeOf(nodes int) connect.LabVolume {
	v := connect.LabVolume{Name: "csv"}
	for i := range nodes {
		v.Nodes = append(v.Nodes,
			connect.LabVolumeNode{Host: fmt.Sprintf("n%d", i+1), Address: netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)})})
	}
	return v
}

// For any number of nodes, each part has three copies on three of them, and all nodes have equally many bricks.
func TestVolumeSets(t *testing.T) {
	for nodes := volumeCopies; nodes < 9; nodes++ {
		on := make([]int, nodes)
		sets := volumeSets(nodes)
		for _, s := range sets {
			where := slices.Clone(s[:])
			slices.Sort(where)
			if len(slices.Compact(where)) != volumeCopies {
				t.Errorf("%d nodes: two copies of a set are on one: %v", nodes, s)
			}
			for _, n := range s {
				on[n]++
			}
		}
		if slices.Min(on) != slices.Max(on) || slices.Min(on) == 0 {
			t.Errorf("%d nodes: %v bricks each", nodes, on)
		}
	}
	if n := len(volumeSets(4)); n != 4 {
		t.Errorf("%d sets on 4 nodes", n)
	}
}

// Every brick that the mount uses is exported by its node, and no others are.
func TestVolumeFiles(t *testing.T) {
	v := volumeOf(4)
	client := clientFile(v)
	given := 0
	for i, n := range v.Nodes {
		text, bricks := brickFile(v, i, "/lab/bricks")
		for _, name := range bricks {
			given++
			if want := fmt.Sprintf("option remote-host %s\n  option remote-port %d\n  option remote-subvolume %s\n", n.Address,
				volumePort, name); !strings.Contains(client, want) {
				t.Errorf("the mount does not ask %s for %s:\n%s", n.Host, name, client)
			}
			if !strings.Contains(text, "option directory /lab/bricks/"+name+"\n") ||
				!strings.Contains(text, "option auth.addr."+name+".allow *\n") {
				t.Errorf("%s of %s:\n%s", name, n.Host, text)
			}
		}
		if !strings.Contains(text, fmt.Sprintf("bind-address %s\n", n.Address)) ||
			!strings.Contains(text, "subvolumes "+strings.Join(bricks, " ")+"\n") {
			t.Errorf("%s:\n%s", n.Host, text)
		}
	}
	if asked := strings.Count(client, "type protocol/client"); asked != given || given != 12 {
		t.Errorf("%d bricks are asked for, %d exported", asked, given)
	}
	if strings.Count(client, "option quorum-count 3") != 4 {
		t.Errorf("a write may be done before all copies are there:\n%s", client)
	}
	for _, text := range []string{client} { // what is used is before it
		seen := map[string]bool{}
		for line := range strings.Lines(text) {
			f := strings.Fields(line)
			if len(f) == 2 && f[0] == "volume" {
				seen[f[1]] = true
			}
			if len(f) > 1 && f[0] == "subvolumes" {
				for _, name := range f[1:] {
					if !seen[name] {
						t.Errorf("%s is used before it is there", name)
					}
				}
			}
		}
	}
}

func TestVolumeOf(t *testing.T) {
	p := &plan.Plan{Fabric: &fabric.Fabric{Volumes: []*fabric.Volume{
		{Name: "csv", Layout: "mirror3", Of: []string{"n1.a", "n2.a", "n3.a", "n1.b"}},
		{Name: "two", Layout: "mirror3", Of: []string{"n1.a", "n2.a"}},
		{Name: "wide", Layout: "raidz2", Of: []string{"n1.a", "n2.a", "n3.a"}},
	}}}
	for name, want := range map[string]string{"two": "volume two: layout mirror3 has 3 copies on as many hosts, and " +
		"its drives are on 2", "wide": "volume wide: a lab makes volumes over several hosts with layout: mirror3 alone",
		"csv": "volume csv: its hosts n1, n2, n3 have no subnet in common"} {
		if _, err := VolumeOf(p, name); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFirstError(t *testing.T) {
	log := "[2026-11-23 16:44:27.0 +0000] I [x.c:1:f] 0-a: fine\n[2026-11-23 16:44:27.1 +0000] E [MSGID: 1] " +
		"[graph.y:1:f] 0-parser: type missing\n[2026-11-23 16:44:27.2 +0000] E [x] 0-: failed\n"
	if got := firstError(log); got != ": [MSGID: 1] [graph.y:1:f] 0-parser: type missing" {
		t.Errorf("%q", got)
	}
	if got := firstError("nothing"); got != "" {
		t.Errorf("%q", got)
	}
}
