package plan

import (
	"fmt"
	"strings"

	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

var ruleReach = Rule{
	ID:    "cable-reach",
	Title: "reach of the cable at that speed",
	Why:   "a cable that is too long for its speed comes up with errors, or not at all",
	Worst: record.Error,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		for i, l := range c.p.Links {
			if l.Cable == nil || l.Cable.Cable == nil {
				continue
			}
			info, subject, line := l.Cable.Cable, "link "+l.Name, c.f.Links[i].At.Line
			metres, known := l.LengthM.Get()
			if need := c.f.Links[i].Length; need > 0 {
				if own, ok := info.Length.Get(); ok && own < need {
					out = append(out, said(record.Error, subject, line, "take a longer cable", "the cable is %g m long, and its ends are %g m apart", own, need))
					continue
				}
				metres, known = max(need, metres), true
			}
			if !known {
				continue
			}
			if limit, ok := info.Reach.Get(); ok && metres > limit {
				out = append(out, said(record.Warning, subject, line, "take one that is made for the length",
					"%s reaches %g m (its entry in the catalogue), and this is %g m", l.Cable.Name, limit, metres))
			}
			if info.Media == catalog.DAC && len(info.Ends) > 0 && !l.InfiniBand {
				if p, ok := copper(l, metres); ok {
					p.Subject, p.Line = subject, line
					out = append(out, p)
				}
			}
		}
		return out
	},
}

// copper says whether passive copper is too long for the speed of its link.
func copper(l *Link, metres float64) (record.Problem, bool) {
	limit, ok := catalog.CopperAt(l.Cable.Cable.Ends[0], l.Speed)
	if !ok || metres <= limit.Doubtful {
		return record.Problem{}, false
	}
	text := fmt.Sprintf("%g m of passive copper at %s: %s", metres, l.Speed, limit.Why)
	var claims []string
	severity, far := record.Warning, limit.Far
	for _, claim := range limit.Claims {
		from := "a source"
		switch claim.Source {
		case "recall":
			from = "general knowledge"
		case "mesh-10g":
			from = "the installation mesh-10g"
		case "gist_watts_a":
			from = "a table of the trade"
		}
		claims = append(claims, fmt.Sprintf("%s says %g m", from, claim.Metres))
		far = max(far, claim.Metres)
	}
	if len(claims) > 1 {
		text += "; the sources disagree: " + strings.Join(claims, ", ")
		if metres > far {
			severity = record.Error // beyond what anybody claims
		}
	}
	return record.Problem{Severity: severity, Message: text,
		Fix: fmt.Sprintf("take %g m or less, an active optical cable, or transceivers with fibre", limit.Doubtful)}, true
}
