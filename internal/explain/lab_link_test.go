package explain

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// Between hosts of a lab that are connected to one by one, the lab's own token bucket is the link: no fix removes it. A
// token bucket of anyone else is a shaper.
func TestShaperOfALabIsItsLink(t *testing.T) {
	read := func(change func(*recorded)) *recorded {
		r := from(t, "local-shaper", "goodput 0.99")
		r.run.Lab = nil
		r.run.Hosts = []record.HostState{
			{Name: "host1", Connection: "lab ab12/host1"},
			{Name: "host2", Connection: "lab ab12/host2"},
		}
		change(r)
		return r
	}
	// the lab's burst for 80 Mb/s, as the kernel prints it
	own := func(r *recorded) { r.do(t, `edit host1. "burst":131070 => "burst":39990`) }
	r := read(own)
	v := r.verdict(t)
	if v.Limiter != "link" || v.Confidence != "proved" || !strings.Contains(v.Sentence, "the lab's own shaper (tbf on ") ||
		!strings.Contains(v.NextCeiling, "lab up --scale") || v.Fix != "" || v.Undo != "" {
		t.Errorf("%+v", v)
	}
	shapers := func(r *recorded) (kept, removed int) {
		for _, f := range r.run.Findings {
			switch {
			case f.ID != "local-shaper":
			case strings.Contains(f.Fix, "the lab's own shaper") && f.Undo == "":
				kept++
			case strings.Contains(f.Fix, "tc qdisc del"):
				removed++
			}
		}
		return kept, removed
	}
	if kept, removed := shapers(r); kept != 4 || removed != 0 {
		t.Errorf("%d shapers are the lab's, %d are to be removed: %+v", kept, removed, r.run.Findings)
	}
	fault := read(func(*recorded) {}) // as recorded: another shaper in place of the lab's
	if v := fault.verdict(t); v.Limiter != "local-shaper" || !strings.Contains(v.Fix,
		"linerate lab exec ab12/host1 -- tc qdisc del") {
		t.Errorf("of somebody else: %+v", v)
	}
	if kept, removed := shapers(fault); kept != 3 || removed != 1 {
		t.Errorf("%d shapers are the lab's, %d are to be removed: %+v", kept, removed, fault.run.Findings)
	}
	real := read(func(r *recorded) { own(r); r.run.Hosts[0].Connection, r.run.Hosts[1].Connection = "ssh a", "ssh b" })
	if v := real.verdict(t); v.Limiter != "local-shaper" || !strings.Contains(v.Fix, "tc qdisc del") {
		t.Errorf("of real hosts: %+v", v)
	}
}
