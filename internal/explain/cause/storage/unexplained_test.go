package storage

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/record"
)

// Many equally full hosts share one sentence. Of hosts that differ, the first three are named.
func TestFullHosts(t *testing.T) {
	host := func(name string, cores float64) record.BlockHost {
		return record.BlockHost{Host: name, Asks: true, Cores: &cores, Of: 2}
	}
	fleet := &Case{e: &record.Experiment{}, b: &record.Block{}}
	for i := range 32 {
		fleet.b.Hosts = append(fleet.b.Hosts, host(fmt.Sprint("vm", i+1), 1.98))
	}
	if got, want := fleet.fullHosts(), "1.98 of the 2 cores of each of vm[1-32] were in use"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	fleet.b.Hosts = append(fleet.b.Hosts, host("node1", 1.99), host("node2", 0.5), host("node3", 1.97),
		host("node4", 1.96), host("node5", 1.96))
	if got, want := fleet.fullHosts(), "1.98 of the 2 cores of each of vm[1-32] were in use; 1.99 of the 2 cores of "+
		"node1 were in use; 1.97 of the 2 cores of node3 were in use; and 2 more hosts likewise"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	fleet.b.Hosts = fleet.b.Hosts[:1]
	fleet.e.Repeats = []record.Repeat{{CPU: []record.CPU{{Host: "vm1", Core: -1,
		Threads: []record.Thread{{Name: "100%busy", Kind: record.OtherProcess, User: 1.5}}}}}}
	if got := fleet.fullHosts(); !strings.Contains(got, "cores of vm1 were in use, 1.50 of them by programs that have "+
		"nothing to do with it (100%busy most)") {
		t.Errorf("%q", got)
	}
	full := &Case{e: &record.Experiment{CPU: []record.CPU{{Host: "vm1+vm2+vm3", Core: 0, User: 1}}}, b: &record.Block{}}
	if got := full.fullParts(); len(got) != 1 || got[0] != "a core of vm[1-3] was full" {
		t.Errorf("%q", got)
	}
}
