package facts

import (
	"net/netip"
	"strings"
	"testing"
)

// Both forms of "ip neigh" give the same; what nobody answered for has no MAC address.
func TestNeighbours(t *testing.T) {
	const head = "schema linerate/capture/1\nhost a\nos linux\n-- "
	for name, text := range map[string]string{
		"ip -j neigh": `[{"dst":"10.9.1.2","dev":"fast","lladdr":"9E:1A:00:10:56:44","state":["REACHABLE"]},
{"dst":"10.9.1.9","dev":"fast","state":["FAILED"]},{"dst":"fe80::1","dev":"house","lladdr":"06:00:00:00:00:02","router":null,"state":["STALE"]}]`,
		"ip neigh show dev fast":  "10.9.1.2 dev fast lladdr 9e:1a:00:10:56:44 REACHABLE\n10.9.1.9 dev fast FAILED\nfe80::1 dev house lladdr 06:00:00:00:00:02 router STALE\n",
		"sudo /sbin/ip neighbour": "10.9.1.2 dev fast lladdr 9e:1a:00:10:56:44 ref 1 used 14/14/14 probes 1 REACHABLE\n10.9.1.9 dev fast FAILED\nfe80::1 dev house lladdr 06:00:00:00:00:02 router STALE\n",
	} {
		f, err := Parse([]byte(head + name + " --\n" + text + "\n"))
		if err != nil || len(f.Unknown) > 0 || len(f.Neighbours) != 3 {
			t.Errorf("%s: %v %v %v", name, err, f.Unknown, f.Neighbours)
			continue
		}
		n, ok := f.Neighbour("fast", netip.MustParseAddr("10.9.1.2"))
		if !ok || n.MAC != "9e:1a:00:10:56:44" || !n.Fresh() || !strings.HasPrefix(n.Line, "10.9.1.2 dev fast lladdr 9e:1a:00:10:56:44") {
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

// Registers of a device that does not answer, and reserved sizes, are none.
func TestPayloadRegisters(t *testing.T) {
	for text, want := range map[string]int{"10008fe2\n2910\n": 128, "10008fe2\n2950\n": 512, "00000001\n0020\n": 256, "ffffffff\nffff\n": 0, "10008fe6\n2910\n": 0, "10008fe2\n29d0\n": 0, "10008fe2\n": 0, "zzzzzzzz\n2910\n": 0, "": 0} {
		f := &Facts{}
		err := readPayload(f, []string{"0000:41:00.0"}, []byte(text))
		d := f.PCIAt("0000:41:00.0")
		if (err == nil) != (want > 0) || want > 0 && d.Payload.Or(0) != want {
			t.Errorf("%q: %v %+v", text, err, d)
		}
	}
}
