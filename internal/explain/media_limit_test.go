package explain

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/explain/cause"
	"linerate/internal/explain/whatif"
	"linerate/internal/record"
)

func TestMediaLimit(t *testing.T) {
	for _, c := range cases(t, "drives.txt") {
		t.Run(c.name, func(t *testing.T) {
			x := c.load(t)
			v := x.verdict(t)
			if limiter := c.want[0]; limiter == "other" && v.Limiter == "media-limit" ||
				limiter != "other" && (v.Limiter != limiter || v.Confidence != c.want[1]) {
				t.Errorf("want %v: %s", c.want, says(v))
			}
			if a := x.account(t, "drive"); !strings.Contains(a.Sentence+a.Why, c.want[2]) {
				t.Fatalf("account %+v, want %q", a, c.want[2])
			}
			if v.Limiter != "media-limit" {
				return
			}
			if len(v.Evidence) < 3 || !strings.Contains(v.Component, x.exp.InEffect["source_device"]) ||
				!slices.Contains(strings.Split(v.Fix, "\n"), "on host1: cat "+x.exp.Settings["source"]+" >/dev/null") {
				t.Errorf("%+v", v)
			}
			if asked := v.Next != nil; asked != (len(x.exp.FollowUp) == 0) || asked && (len(v.Next.Change) != 1 ||
				v.Next.Change["source"] != "" || !strings.Contains(v.NextExperiment, "--allow-source")) {
				t.Errorf("next %+v: %s", v.Next, v.NextExperiment)
			}
		})
	}
}

// In a lab with the fault slow-drive a run followed up by itself, and measured from memory in place of the file. That
// settles it: from memory the link is full, so that it was the drive. Without that step the same run asks for it.
func TestMediaLimitFollowUp(t *testing.T) {
	x := load(t, "chase-drive")
	v := x.verdict(t)
	if len(x.exp.FollowUp) != 1 || v.Limiter != "media-limit" || v.Confidence != "proved" || v.Next != nil {
		t.Fatal(says(v))
	}
	if s := x.exp.FollowUp[0]; s.Verdict == nil || s.Verdict.Limiter != cause.Link.ID || len(s.Settings["source"]) > 0 {
		t.Errorf("the step: %+v", s.Verdict)
	}
	if !slices.ContainsFunc(v.Evidence, func(e record.Evidence) bool {
		return strings.Contains(e.Text, "from memory in place of /mnt/data")
	}) {
		t.Errorf("%+v", v.Evidence)
	}
	if v := from(t, "chase-drive", "keep 0").verdict(t); v.Limiter != "media-limit" || v.Confidence != "likely" ||
		v.Next == nil || v.Next.Change["source"] != "" {
		t.Errorf("next %v: %s", v.Next, says(v))
	}
	// Without the counters of drives the file is named by the step alone.
	if v := from(t, "chase-drive", "edit . -- proc/diskstats -- => -- proc/nothing --").verdict(t); v.Limiter !=
		"app-limited" {
		t.Error(says(v))
	}
}

// A cached file is sent at the link's rate, however slow its drive. The cross-check says where it came from.
func TestPageCacheIsNoDrive(t *testing.T) {
	x := load(t, "exam/healthy-file")
	if v := x.verdict(t); v.Limiter != cause.Link.ID {
		t.Error(says(v))
	}
	if a := x.account(t, "drive"); a.Closes == nil || *a.Closes || *a.Left.Value > 0.01**a.Right.Value ||
		!strings.Contains(a.Sentence, "the page cache") {
		t.Errorf("%+v", a)
	}
	// The same at a lower rate, with the drive busy for other processes: the sender does not wait for it.
	x = from(t, "exam/healthy-file", "factor 0.4 ; drive busy kept-busy 1000")
	if v := x.verdict(t); v.Limiter == "media-limit" {
		t.Error(says(v))
	}
}

// With a faster drive the link is the next ceiling. With more streams the drive stays the bottleneck.
func TestWhatIfOfASlowDrive(t *testing.T) {
	x := load(t, "exam/slow-drive")
	x.verdict(t)
	w := whatif.Answer([]*plan.Plan{planOf(t, x.run)}, x.run, x.read, record.Change{Drive: 24e9}, "")
	if len(w.Experiments) != 1 {
		t.Fatalf("%+v", w)
	}
	one := w.Experiments[0]
	if one.Stays == nil || *one.Stays || one.Predicted == nil || *one.Predicted.High > 190e6 ||
		*one.Predicted.High < 180e6 {
		t.Errorf("%s: %+v", one.Sentence, one.Predicted)
	}
}
