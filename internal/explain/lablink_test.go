package explain_test

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// Between hosts of a lab that were got at one by one, the lab's own token bucket is the link: nobody is told to take it away. One that somebody else
// put there is a shaper as anywhere.
func TestShaperOfALabIsItsLink(t *testing.T) {
	read := func(change func(*recorded)) *recorded {
		r := load(t, "local-shaper").goodput(0.99)
		r.run.Lab = nil
		r.run.Hosts = []record.HostState{{Name: "host1", Reach: "lab ab12/host1"}, {Name: "host2", Reach: "lab ab12/host2"}}
		change(r)
		return r
	}
	own := func(r *recorded) { r.replace(t, "host1", `"burst":131070`, `"burst":39990`) } // what the lab gives 80 Mb/s, as the kernel tells it
	r := read(own)
	v := r.verdict(t)
	if v.Limiter != "link" || v.Confidence != "proved" || !strings.Contains(v.Sentence, "the lab's own shaper (tbf on ") || !strings.Contains(v.NextCeiling, "lab up --scale") || v.Fix != "" || v.Undo != "" {
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
	fault := read(func(*recorded) {}) // the recorded one: a shaper in the place of the lab's
	if v := fault.verdict(t); v.Limiter != "local-shaper" || !strings.Contains(v.Fix, "linerate lab exec ab12/host1 -- tc qdisc del") {
		t.Errorf("of somebody else: %+v", v)
	}
	if kept, removed := shapers(fault); kept != 3 || removed != 1 {
		t.Errorf("%d shapers are the lab's, %d are to be removed: %+v", kept, removed, fault.run.Findings)
	}
	real := read(func(r *recorded) { own(r); r.run.Hosts[0].Reach, r.run.Hosts[1].Reach = "ssh a", "ssh b" })
	if v := real.verdict(t); v.Limiter != "local-shaper" || !strings.Contains(v.Fix, "tc qdisc del") {
		t.Errorf("of real hosts: %+v", v)
	}
}
