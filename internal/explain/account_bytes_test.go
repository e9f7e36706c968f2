package explain

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// The uncertainty of two readings is not reported as other traffic.
func TestAccountWithinTwoLooks(t *testing.T) {
	for _, c := range []struct {
		measured  float64 // of what the interface carried
		closes    bool
		says, not string
	}{
		{1, true, "were measured.", "same"},
		{1.02, true, "the same within what two looks at a counter can tell", "went another way"},
		{1.09, true, "the same within what two looks at a counter can tell", "went another way"},
		{0.92, true, "the same within what two looks at a counter can tell", "other traffic"},
		{2, false, "went another way", "within"},
		{0.5, false, "were other traffic of the same interface, or retransmitted", "within"},
	} {
		r := load(t, "firewall-drops")
		r.exp.Repeats[0].Seconds = 1
		r.verdict(t)
		a := r.account(t, "sent")
		if a.Left.Value == nil || a.Seconds == nil || *a.Seconds > 0.9 {
			t.Fatalf("%+v", a)
		}
		bits := c.measured * *a.Left.Value * 8 / *a.Seconds
		r.exp.Repeats[0].Forward, r.exp.Repeats[0].SeriesOut = bits, nil
		r.verdict(t)
		if a = r.account(t, "sent"); a.Closes == nil || *a.Closes != c.closes || !strings.Contains(a.Sentence, c.says) ||
			strings.Contains(a.Sentence, c.not) {
			t.Errorf("%v: %s (%v)", c.measured, a.Sentence, a.Share)
		}
	}
}

// The cross-check of bytes reports no retransmits where there were none.
func TestAccountWithoutRetransmits(t *testing.T) {
	r := load(t, "other-traffic")
	count := regexp.MustCompile(`(?m)^(Tcp: (?:-?\d+ ){11})(\d+)`)
	before := count.FindSubmatch(r.files["snapshots/host1.before-"+r.exp.ID+".txtar"])
	for _, again := range []bool{true, false} {
		if !again {
			r.do(t, fmt.Sprintf("edit host1.after %s => ${1}%s", count, before[2]))
		}
		r.verdict(t)
		bytes, segments := r.account(t, "received"), r.account(t, "resent")
		if segments.Left.Value == nil || (*segments.Left.Value > 0) != again ||
			!strings.Contains(bytes.Sentence, "were other traffic of the same interface") ||
			strings.Contains(bytes.Sentence, "retransmitted") != again {
			t.Errorf("retransmitted %v: %s\n%s", again, bytes.Sentence, segments.Sentence)
		}
	}
}
