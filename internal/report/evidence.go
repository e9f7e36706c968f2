package report

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// evidenceText says what looking at the ends cost them; empty: nothing is known of it.
func evidenceCostText(c *record.EvidenceCost) string {
	if c == nil || c.Share == nil {
		return ""
	}
	captures := 0
	for _, h := range c.Hosts {
		captures += h.Captures
	}
	return fmt.Sprintf("Looking at the ends %d times in their steady windows took at most %s of one core.", captures, unit.Percent(*c.Share))
}

func (l *lines) evidence(c *record.EvidenceCost) {
	if s := evidenceCostText(c); s != "" {
		l.gap()
		l.text(faint, 0, s)
	}
}

// closesText is whether an account closes, in a word or two.
func closesText(a record.Account) string {
	switch {
	case a.Closes == nil:
		return notKnown
	case *a.Closes:
		return "yes"
	case a.Share != nil:
		return "no, " + unit.Percent(*a.Share) + " apart"
	}
	return "no"
}
