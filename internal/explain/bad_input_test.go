package explain

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
)

// Losses made in labs: the cross-check matches and names the component that dropped the packets.
func TestAccounts(t *testing.T) {
	for name, where := range map[string]string{"switch-drops": "by qdisc.drops of sw1.2 on sw1",
		"firewall-drops": "by firewall.drops on host2"} {
		r := load(t, name)
		r.verdict(t)
		for _, account := range []string{"sent", "received", "resent"} {
			if a := r.account(t, account); a.Closes == nil || !*a.Closes || a.Why != "" || a.Difference == nil ||
				a.Left.Value == nil || a.Right.Value == nil {
				t.Errorf("%s: %s does not close: %+v", name, account, a)
			}
		}
		if a := r.account(t, "resent"); !strings.Contains(a.Sentence, where) || *a.Left.Value < 10 {
			t.Errorf("%s: %s", name, a.Sentence)
		}
		if e := r.run.Evidence; e == nil || e.Share == nil || *e.Share <= 0 || *e.Share > 0.01 || len(e.Hosts) != 3 {
			t.Errorf("%s: what looking cost: %+v", name, e)
		}
	}
}

// A cost of snapshots above the CPU time that the host has in the interval is impossible, and so not known.
func TestCostOfLookingThatCannotBe(t *testing.T) {
	r := from(t, "firewall-drops", "edit host1.during (?m)^cost .*$ => cost 99")
	r.verdict(t)
	e := r.run.Evidence
	if e == nil || e.Share == nil || *e.Share > 0.01 || len(e.Hosts) != 2 || len(e.Unknown) != 1 ||
		e.Unknown[0].Subject != "host1" || !strings.Contains(e.Unknown[0].Reason, "went on after it") {
		t.Errorf("%+v", e)
	}
}

// Whatever is wrong with what was kept, the account that needs it is not known and says why, and the verdict names no
// other cause: a full link needs no evidence.
func TestBadInput(t *testing.T) {
	for _, c := range cases(t, "damaged.txt") {
		t.Run(c.name, func(t *testing.T) {
			r := c.load(t)
			v := r.verdict(t)
			a := r.account(t, c.want[0])
			if a.Closes != nil || a.Why == "" || !strings.Contains(a.Why, c.want[1]) ||
				!strings.Contains(a.Sentence, "not known, because") {
				t.Errorf("%s: closes %v, want why %q: %s", c.want[0], a.Closes, c.want[1], a.Sentence)
			}
			if !slices.Contains([]string{record.LimiterUnexplained, record.LimiterUnknown, "link"}, v.Limiter) {
				t.Error(says(v))
			}
			if v.Limiter == record.LimiterUnexplained && len(v.Unknown) == 0 {
				t.Error("the verdict does not say what is not known")
			}
		})
	}
}
