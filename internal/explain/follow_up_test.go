package explain

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
)

func TestFollowUpVerdicts(t *testing.T) {
	for _, c := range cases(t, "follow-ups.txt") {
		t.Run(c.name, func(t *testing.T) {
			r := c.load(t)
			limiter, want, next := c.want[0], c.want[1], c.want[2]
			for _, r.at = range append([]*record.Experiment{r.exp}, r.exp.FollowUp...) {
				if limiter != "link" {
					r.do(t, "sender AppLimited = false")
				}
			}
			v := r.verdict(t)
			if v.Limiter != limiter || !strings.Contains(v.Sentence, want) {
				t.Fatalf("want %s, %q: %s\nevidence %+v", limiter, want, says(v), v.Evidence)
			}
			if limiter != "unexplained" && limiter != "link" && (v.Confidence != "likely" && v.Confidence != "proved" ||
				len(v.Evidence) < 2 || v.Fix == "" && limiter != "receive-window-cap") {
				t.Errorf("%+v", v)
			}
			if limiter == "unexplained" && v.Confidence != "" {
				t.Errorf("confidence %q", v.Confidence)
			}
			switch {
			case next == "" && limiter != "unexplained" && v.Next != nil:
				t.Errorf("asks for %v", v.Next)
			case next != "" && (v.Next == nil || !maps.Equal(v.Next.Change,
				map[string]string{next: v.Next.Change[next]}) || v.Next.Why == "" || v.NextExperiment == ""):
				t.Errorf("asks for %+v, want %s (%s)", v.Next, next, v.NextExperiment)
			}
			// No step is repeated.
			for _, x := range r.exp.FollowUp {
				if v.Next != nil && maps.Equal(x.FollowedUp.Change, v.Next.Change) && x.FollowedUp.Change["pace"] != "1M" {
					t.Errorf("asks again for %v", v.Next.Change)
				}
				if x.Verdict != nil && x.Verdict.Next != nil {
					t.Errorf("a step asks for %v", x.Verdict.Next)
				}
			}
		})
	}
}

// A run that follows up also compares with experiments of the file; other runs do not.
func TestFollowUpOfTheFile(t *testing.T) {
	for followUps, want := range map[*record.FollowUp]string{nil: "unexplained", {}: "receive-window-cap"} {
		r := from(t, "receive-window-cap", `without /host2\. ; step streams=8 4`)
		x := r.exp.FollowUp[0]
		x.FollowedUp, r.exp.FollowUp, r.run.FollowUp = nil, nil, followUps
		r.run.Experiments = append(r.run.Experiments, x)
		if v := r.verdict(t); v.Limiter != want || v.Next != nil && v.Next.Change["streams"] != "" && followUps != nil {
			t.Errorf("follows up %v: asks for %v: %s", followUps, v.Next, says(v))
		}
	}
}

// Goals and the run's sentence are about the experiments of the file only.
func TestFollowUpIsNotOfTheFile(t *testing.T) {
	r := from(t, "followed-up")
	if steps := r.exp.FollowUp; len(steps) != 2 || steps[0].Settings["pace"] == "" || steps[1].Settings["streams"] != "8" {
		t.Fatalf("not the record: %+v", steps)
	}
	r.verdict(t)
	if s := r.run.Sentence; strings.Contains(s, "of 3 tests") || !strings.Contains(s, "host1 -> host2") {
		t.Error(s)
	}
}

// What follows up in labs came to, each in a situation that was made by hand: which steps the verdicts asked for, one
// after another, and what they made of them. Without its steps none of these runs is explained.
func TestFollowedUp(t *testing.T) {
	for _, c := range []struct {
		name, limiter, says string
		steps               []string
	}{
		// the link dropped what came above 95 Mb/s, with a bucket of 2.4 ms: TCP got 4 of it
		{"policer-tight", "policer", "drops what comes too fast", []string{"pace", "streams"}},
		// the link lost 2 % of the packets, next to no distance away: TCP made most of it good
		{"chance", "random-loss", "at any rate", []string{"pace"}},
		// the link dropped what came above 80 Mb/s of datagrams that were sent at 160
		{"udp-policer", "policer", "drops what comes too fast", []string{"pace"}},
		// nothing: one connection, 10 ms away, that had not come to its rate within the second
		{"one-slow", record.LimiterUnexplained, "With 8 streams the link is full",
			[]string{"streams", "placement", "direction"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := load(t, "chase-"+c.name)
			v := x.verdict(t)
			if v.Limiter != c.limiter || !strings.Contains(v.Sentence, c.says) || len(v.Evidence) < 2 {
				t.Errorf("want %s, %q: %s", c.limiter, c.says, says(v))
			}
			if len(x.exp.FollowUp) != len(c.steps) {
				t.Errorf("%d steps, want %q", len(x.exp.FollowUp), c.steps)
			}
			// One step after another: each verdict asks for the next.
			for n, want := range c.steps {
				x := load(t, "chase-"+c.name)
				x.exp.FollowUp = x.exp.FollowUp[:n]
				v := x.verdict(t)
				asked := ""
				if v.Next != nil {
					asked = strings.Join(slices.Sorted(maps.Keys(v.Next.Change)), " ")
				}
				if n == 0 && v.Limiter == c.limiter && c.limiter != record.LimiterUnexplained {
					t.Errorf("without its steps it is %s", v.Limiter)
				}
				if asked != want {
					t.Errorf("after %d steps it asks for %q, want %q: %s", n, asked, want, v.Sentence)
				}
			}
		})
	}
}
