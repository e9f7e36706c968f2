package explain

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// What chases in labs came to, each in a situation that was made by hand: which steps the verdicts asked for, one after another, and what they made of
// them. Without its steps none of these runs is explained.
func TestChased(t *testing.T) {
	for _, c := range []struct {
		name, made string // what was made wrong in the lab
		steps      []string
		limiter    string
		says       string
	}{
		{"policer-tight", "the link dropped what came above 95 Mb/s, with a bucket of 2.4 ms: TCP got 4 of it", []string{"pace", "streams"}, "policer", "drops what comes too fast"},
		{"chance", "the link lost 2 % of the packets, next to no distance away: TCP made most of it good", []string{"pace"}, "random-loss", "at any rate"},
		{"udp-policer", "the link dropped what came above 80 Mb/s of datagrams that were sent at 160", []string{"pace"}, "policer", "drops what comes too fast"},
		{"one-slow", "nothing: one connection, 10 ms away, that had not come to its rate within the second", []string{"streams", "placement", "direction"}, Unexplained, "With 8 streams the link is full"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := kept(t, "made/chase-"+c.name)
			v := x.verdict(t)
			if v.Limiter != c.limiter || !strings.Contains(v.Sentence, c.says) || len(v.Evidence) < 2 {
				t.Errorf("%s (%s), want %s, %q: %s %+v", v.Limiter, v.Confidence, c.limiter, c.says, v.Sentence, v.Candidates)
			}
			// One step after another: each verdict asks for the next.
			var r record.Run
			if err := json.Unmarshal(x.files[runfolder.ManifestName], &r); err != nil {
				t.Fatal(err)
			}
			made := r.Experiments[0].Chase
			for n := range len(made) + 1 {
				r.Experiments[0].Chase = made[:n]
				b, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				x.files[runfolder.ManifestName] = b
				v := x.verdict(t)
				asked := ""
				if v.Next != nil {
					asked = strings.Join(slices.Sorted(maps.Keys(v.Next.Change)), " ")
				}
				want := ""
				if n < len(c.steps) {
					want = c.steps[n]
				}
				if n == 0 && v.Limiter == c.limiter && c.limiter != Unexplained {
					t.Errorf("without its steps it is %s", v.Limiter)
				}
				if n < len(c.steps) && asked != want {
					t.Errorf("after %d steps it asks for %q, want %q: %s", n, asked, want, v.Sentence)
				}
			}
			if len(made) != len(c.steps) {
				t.Errorf("%d steps, want %q", len(made), c.steps)
			}
		})
	}
}
