package report

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// lossText is the share of the datagrams that were lost: empty for what was not sent as datagrams, and never rounded to
// nothing where there was some.
func lossText(e *record.Experiment) string {
	share, ok := loss(e)
	if !ok {
		return ""
	}
	return unit.Percent(share)
}

func loss(e *record.Experiment) (float64, bool) {
	if e.UDP == nil || e.UDP.Datagrams == nil || e.UDP.Lost == nil || *e.UDP.Datagrams <= 0 {
		return 0, false
	}
	return float64(*e.UDP.Lost) / float64(*e.UDP.Datagrams), true
}

// datagramsText is what was counted of datagrams, for the table of figures: "12 of 3400 lost, 0 reordered, 0 duplicated,
// jitter 3.2 us".
func datagramsText(e *record.Experiment) string {
	if _, ok := loss(e); !ok {
		return ""
	}
	u := e.UDP
	s := fmt.Sprintf("%d of %d lost", *u.Lost, *u.Datagrams)
	if u.Reordered != nil {
		s += fmt.Sprintf(", %d reordered", *u.Reordered)
	}
	if u.Duplicated != nil {
		s += fmt.Sprintf(", %d duplicated", *u.Duplicated)
	}
	if u.Jitter != nil {
		s += ", jitter " + unit.Seconds(*u.Jitter)
	}
	return s
}

// withLoss adds what was lost to the figures of round trips, where there can be loss.
func withLoss(e *record.Experiment, rows [][2]string) [][2]string {
	if s := lossText(e); s != "" {
		rows = append(rows, [2]string{"lost", fmt.Sprintf("%s (%d of %d)", s, *e.UDP.Lost, *e.UDP.Datagrams)})
	}
	return rows
}
