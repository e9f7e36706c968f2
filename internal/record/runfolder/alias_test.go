package runfolder

import (
	"strings"
	"testing"
)

// TestAliases: a record with an alias of a method is read as one with its name, also below a follow-up.
func TestAliases(t *testing.T) {
	const run = `{"schema": "linerate/run/2", "experiments": [
		{"id": "a", "method": "stream", "follow_up": [{"id": "b", "method": "ping"}]}, {"id": "c", "method": "other"}]}`
	for _, brief := range []bool{false, true} {
		r, _, err := readRun(strings.NewReader(run), brief)
		if err != nil {
			t.Fatal(err)
		}
		if e := r.Experiments; e[0].Method != "throughput" || e[0].FollowUp[0].Method != "latency" || e[1].Method != "other" {
			t.Errorf("brief %v: %s, %s, %s", brief, e[0].Method, e[0].FollowUp[0].Method, e[1].Method)
		}
	}
	p := replay(t, begin+`{"event":"experiment","body":{"id":"e1","method":"verbs"}}`+"\n")
	if p.Run.Experiments[0].Method != "rdma" {
		t.Errorf("the journal's is %s", p.Run.Experiments[0].Method)
	}
}
