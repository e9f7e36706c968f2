package link

import (
	"fmt"

	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// FEC checks that both ends of a link use the same error correction, and the one that the cable needs.
var FEC = check.Check{
	ID:     "fec-mismatch",
	Title:  "the same error correction at both ends of a link, and the one that its cable needs",
	Why:    "two ends with different FEC do not understand each other: no link, or one that makes errors",
	Worst:  record.Error,
	Source: "IEEE 802.3, clauses 74, 91 and 108; ethtool(8), --show-fec",
	Look: func(w *check.World, r *check.Report) {
		for j := range w.Links() {
			l, both := j.Link, j.There()
			if why := l.NeedsRS(); why != "" {
				weakFEC(r, both, why)
			}
			if len(both) != 2 {
				continue
			}
			a, b := fec(both[0]), fec(both[1])
			if a == "" || b == "" || a == b {
				continue
			}
			f := record.Finding{
				Severity: record.Error, Subject: record.Subject{Link: l.Name},
				Have: fmt.Sprintf("%s at %s, %s at %s", a, both[0].Subject(), b, both[1].Subject()), Want: "the same at both ends",
				Evidence:    []record.EvidenceLine{fecLine(both[0]), fecLine(both[1])},
				Consequence: "no link, or one that makes errors",
				Fix: "the correction of the longer or weaker way at both ends: " + check.SetFEC.On(both[0].Host, "nic",
					both[0].Nic.Name, "fec", fecWord(a, b)) + ", and the same at " + both[1].Subject().String(),
			}
			r.Found(f, both[0].Subject(), both[1].Subject())
		}
	},
}

// weakFEC reports ends without the correction that the cable needs, where both agree on it or only one is known.
func weakFEC(r *check.Report, ends []*check.End, why string) {
	for _, e := range ends {
		now := fec(e)
		if now != "None" && now != "BaseR" || len(ends) == 2 && fec(ends[0]) != fec(ends[1]) {
			continue
		}
		r.Found(record.Finding{
			Severity: record.Warning, Subject: e.Subject(), Have: "FEC " + now, Want: "RS: " + why,
			Evidence:    []record.EvidenceLine{fecLine(e)},
			Consequence: "bit errors, or no link at all", Fix: check.SetFEC.On(e.Host, "nic", e.Nic.Name, "fec", "rs") +
				"\nand the same at the other end",
			Undo: check.SetFEC.On(e.Host, "nic", e.Nic.Name, "fec", "auto"),
		}, e.Subject())
	}
}

// fec returns the correction in effect. Where the link is down, it is the configured one, if that is a single one.
func fec(e *check.End) string {
	f := e.Nic.Wire.FEC
	if f == nil {
		return ""
	}
	if len(f.Active) == 1 && e.Nic.Carrier.Or(true) {
		return f.Active[0]
	}
	if len(f.Configured) == 1 && f.Configured[0] != "Auto" {
		return f.Configured[0]
	}
	return ""
}

func fecLine(e *check.End) record.EvidenceLine {
	aspect := "fec"
	if !(len(e.Nic.Wire.FEC.Active) == 1 && e.Nic.Carrier.Or(true)) {
		aspect = "fec configured"
	}
	return check.Seen(e.Host, e.Nic, aspect, "ethtool --show-fec "+e.Nic.Name, "FEC: "+fec(e))
}

// fecWord returns the stronger of two corrections, as ethtool names it.
func fecWord(a, b string) string {
	for _, name := range []string{"RS", "BaseR"} {
		if a == name || b == name {
			return map[string]string{"RS": "rs", "BaseR": "baser"}[name]
		}
	}
	return "off"
}
