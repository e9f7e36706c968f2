package read

import (
	"net/netip"
	"strings"
	"testing"
)

// TestNeighbours: both forms of "ip neigh" give the same; an address without an answer has no MAC address.
func TestNeighbours(t *testing.T) {
	const head = "schema linerate/snapshot/1\nhost a\nos linux\n-- "
	for name, text := range map[string]string{
		"ip -j neigh": `[{"dst":"10.9.1.2","dev":"fast","lladdr":"9E:1A:00:10:56:44","state":["REACHABLE"]},
{"dst":"10.9.1.9","dev":"fast","state":["FAILED"]},{"dst":"fe80::1","dev":"house","lladdr":"06:00:00:00:00:02","router":null,"state":["STALE"]}]`,
		"ip neigh show dev fast": "10.9.1.2 dev fast lladdr 9e:1a:00:10:56:44 REACHABLE\n10.9.1.9 dev fast " +
			"FAILED\nfe80::1 dev house lladdr 06:00:00:00:00:02 router STALE\n",
		"sudo /sbin/ip neighbour": "10.9.1.2 dev fast lladdr 9e:1a:00:10:56:44 ref 1 used 14/14/14 probes 1 " +
			"REACHABLE\n10.9.1.9 dev fast FAILED\nfe80::1 dev house lladdr 06:00:00:00:00:02 router STALE\n",
	} {
		f, err := Parse([]byte(head + name + " --\n" + text + "\n"))
		if err != nil || len(f.Unknown) > 0 || len(f.Neighbours) != 3 {
			t.Errorf("%s: %v %v %v", name, err, f.Unknown, f.Neighbours)
			continue
		}
		n, ok := f.Neighbour("fast", netip.MustParseAddr("10.9.1.2"))
		if !ok || n.MAC != "9e:1a:00:10:56:44" || !n.Fresh() ||
			!strings.HasPrefix(n.Line, "10.9.1.2 dev fast lladdr 9e:1a:00:10:56:44") {
			t.Errorf("%s: %+v", name, n)
		}
		silent, _ := f.Neighbour("fast", netip.MustParseAddr("10.9.1.9"))
		old, _ := f.Neighbour("house", netip.MustParseAddr("fe80::1"))
		if silent.MAC != "" || silent.State != "FAILED" || silent.Fresh() || old.MAC == "" || old.Fresh() {
			t.Errorf("%s: %+v %+v", name, silent, old)
		}
	}
	f, err := Parse([]byte(head + "ip neigh --\nsomething else\n"))
	if err != nil || len(f.Unknown) != 1 || f.Neighbours != nil {
		t.Errorf("%v %v %v", err, f.Unknown, f.Neighbours)
	}
}
