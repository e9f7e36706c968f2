package main

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/cli/inventory"
	"linerate/internal/cli/measure"
	"linerate/internal/cli/setting"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
)

// Hosts are named by the ends of their connections, valid in a fabric, and unique.
func TestMeasureEnds(t *testing.T) {
	for _, c := range []struct {
		from, to, patterns []string
		wantFrom, wantTo   []string
		says               string
	}{
		{to: []string{"ssh nas"}, wantFrom: []string{"local"}, wantTo: []string{"nas"}},
		{from: []string{"netns a"}, to: []string{"netns b"}, wantFrom: []string{"a"}, wantTo: []string{"b"}},
		{to: []string{"local"}, wantFrom: []string{"local"}, wantTo: []string{"local-2"}},
		{from: []string{"netns a"}, to: []string{"lab x/a"}, wantFrom: []string{"a"}, wantTo: []string{"a-2"}},
		{from: []string{"ssh n[1-3]"}, to: []string{"ssh root@nas.example.com"}, patterns: []string{"incast"},
			wantFrom: []string{"n1", "n2", "n3"}, wantTo: []string{"nas"}},
		{from: []string{"netns a", "netns b"}, to: []string{"lab x/c", "ssh c"}, patterns: []string{"pairs"},
			wantFrom: []string{"a", "b"}, wantTo: []string{"c", "c-2"}},
		{from: []string{"netns n[08-10]", "local"}, patterns: []string{"all-to-all"},
			wantFrom: []string{"n08", "n09", "n10", "local"}},
		{from: []string{"netns n[1-3]"}, to: []string{"netns n3"}, patterns: []string{"incast"},
			wantFrom: []string{"n1", "n2", "n3"}, wantTo: []string{"n3"}},
		{from: []string{"ssh 10.0.0.7"}, to: []string{"ssh u@10.0.0.8"}, patterns: []string{"pairs"},
			wantFrom: []string{"10-0-0-7"}, wantTo: []string{"10-0-0-8"}},
		{patterns: []string{"pairs"}, to: []string{"netns b"}, wantFrom: []string{"local"}, wantTo: []string{"b"}},
		{says: "missing HOST"},
		{from: []string{"netns a", "netns b"}, to: []string{"netns c"}, says: "--traffic pairs"},
		{from: []string{"netns n[1-3]"}, patterns: []string{"incast"}, says: `write --to "ssh HOST"`},
		{from: []string{"netns n[1-3]"}, patterns: []string{"pairs"}, says: "even number"},
		{from: []string{"netns n[3-1]"}, patterns: []string{"pairs"}, says: "backwards"},
		{from: []string{"netns n[1"}, patterns: []string{"pairs"}, says: "brackets"},
		{from: []string{"netns a", "netns a"}, to: []string{"netns b"}, patterns: []string{"incast"}, says: "twice"},
		{from: []string{"nowhere a"}, to: []string{"netns b"}, says: "--from"},
	} {
		e, err := measure.Flags{From: c.from, To: c.to, Settings: setting.Flags{}.With("traffic", c.patterns...)}.Ends()
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: %v; want %q", c, err, c.says)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(e.From, c.wantFrom) || !reflect.DeepEqual(e.To, c.wantTo) {
			t.Errorf("%q %q: %q and %q, %v; want %q and %q", c.from, c.to, e.From, e.To, err, c.wantFrom, c.wantTo)
		}
		for _, name := range e.All() {
			if e.Connection[name].String() == "" || e.Flag[name] == "" || strings.ContainsAny(name, ". ") {
				t.Errorf("%q: connection %q, flag %q", name, e.Connection[name], e.Flag[name])
			}
		}
	}
}

// A HOST of a command line is one over ssh, unless it is a connection itself.
func TestHostConnection(t *testing.T) {
	for host, want := range map[string]string{"nas": "ssh nas", "root@nas": "ssh root@nas", "local": "local",
		"lab a1b2/nas": "lab a1b2/nas", "netns b": "netns b", "tcp://[fd00::7]:7411#x": "tcp://[fd00::7]:7411#x"} {
		if got := inventory.Connection(host); got != want {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
}

func TestHostNameHasNoSecret(t *testing.T) {
	if _, err := connect.Parse("tcp://[fd00::7]:7411#" + strings.Repeat("A", 10)); err == nil {
		t.Fatal("a secret that does not exist")
	}
	listens, err := connect.Parse("tcp 10.77.0.2:40123")
	if name := inventory.Name(listens); err != nil || name != "10-77-0-2" {
		t.Errorf("%v: %q: the port is another one the next time", err, name)
	}
	if node, err := connect.Parse("srun -w n1 -p fast"); err != nil || inventory.Name(node) != "n1" {
		t.Errorf("%v: %q, want the node's name", err, inventory.Name(node))
	}
	s := connect.Spec{Kind: connect.TCP}
	if name := inventory.Name(s); strings.ContainsAny(name, ".# ") || name == "" {
		t.Errorf("%q", name)
	}
}

func TestCommonSubnet(t *testing.T) {
	host := func(speed unit.BitRate, addresses ...string) *facts.Facts {
		f := &facts.Facts{}
		for i, a := range addresses {
			n := facts.Interface{Name: string(rune('a' + i)), MTU: 1500, Speed: unit.Known(speed * unit.BitRate(i+1))}
			n.Addresses = []netip.Prefix{netip.MustParsePrefix(a)}
			f.NICs = append(f.NICs, n)
		}
		return f
	}
	found := map[string]*facts.Facts{"n1": host(1e9, "10.0.1.1/24", "10.0.2.1/24", "127.0.0.1/8"),
		"n2": host(1e9, "10.0.1.2/24", "10.0.2.2/24", "127.0.0.1/8"), "n3": host(1e9, "10.0.1.3/24", "10.0.9.3/24")}
	for _, c := range []struct {
		names  []string
		wanted string
		want   string // the first port's address
	}{
		{[]string{"n1", "n2"}, "", "10.0.2.1/24"}, {[]string{"n1", "n2", "n3"}, "", "10.0.1.1/24"},
		{[]string{"n1", "n2"}, "10.0.1.2", "10.0.1.1/24"},
		{[]string{"n1", "n3"}, "10.0.9.3", ""}, {[]string{"n3", "n1"}, "10.0.2.1", ""},
	} {
		var wanted netip.Addr
		if c.wanted != "" {
			wanted = netip.MustParseAddr(c.wanted)
		}
		ports, err := measure.CommonSubnet(c.names, found, wanted)
		switch {
		case c.want == "" && (err == nil || !strings.Contains(err.Error(), c.wanted)):
			t.Errorf("%v: %v, %v", c, ports, err)
		case c.want != "" && (err != nil || len(ports) != len(c.names) || ports[0].Address.String() != c.want):
			t.Errorf("%v: %v, %v", c, ports, err)
		}
	}
}
