package check

import (
	"fmt"

	"linerate/internal/record"
)

var checkFEC = Check{
	ID:     "fec-mismatch",
	Title:  "the same error correction at both ends of a link, and the one that its cable needs",
	Why:    "two ends with different FEC do not understand each other: no link, or one that makes errors",
	Worst:  record.Error,
	Source: "IEEE 802.3, clauses 74, 91 and 108; ethtool(8), --show-fec",
	look: func(w *World, r *report) {
		for j := range w.links() {
			l, both := j.link, j.there()
			if why := l.NeedsRS(); why != "" {
				weakFEC(r, both, why)
			}
			if len(both) != 2 {
				continue
			}
			a, b := both[0].fec(), both[1].fec()
			if a == "" || b == "" || a == b {
				continue
			}
			f := record.Finding{
				Severity: record.Error, Subject: "link " + l.Name,
				Have: fmt.Sprintf("%s at %s, %s at %s", a, both[0].subject(), b, both[1].subject()), Want: "the same at both ends",
				Evidence:    []record.EvidenceLine{both[0].fecLine(), both[1].fecLine()},
				Consequence: "no link, or one that makes errors",
				Fix:         "the correction of the longer or weaker way at both ends: " + setFEC.on(both[0].host, "nic", both[0].nic.Name, "fec", fecWord(a, b)) + ", and the same at " + both[1].subject(),
			}
			r.found(f, both[0].subject(), both[1].subject())
		}
	},
}

// weakFEC are the ends without the correction that the link's cable needs, where both agree on it or one alone is known.
func weakFEC(r *report, ends []*end, why string) {
	for _, e := range ends {
		now := e.fec()
		if now != "None" && now != "BaseR" || len(ends) == 2 && ends[0].fec() != ends[1].fec() {
			continue
		}
		r.found(record.Finding{
			Severity: record.Warning, Subject: e.subject(), Have: "FEC " + now, Want: "RS: " + why, Evidence: []record.EvidenceLine{e.fecLine()},
			Consequence: "bit errors, or no link at all", Fix: setFEC.on(e.host, "nic", e.nic.Name, "fec", "rs") + ", and the same at the other end",
			Undo: setFEC.on(e.host, "nic", e.nic.Name, "fec", "auto"),
		}, e.subject())
	}
}

// fec is the correction in effect; where the link is down, the one that is set, if it is a single one.
func (e *end) fec() string {
	f := e.nic.Wire.FEC
	if f == nil {
		return ""
	}
	if len(f.Active) == 1 && e.nic.Carrier.Or(true) {
		return f.Active[0]
	}
	if len(f.Configured) == 1 && f.Configured[0] != "Auto" {
		return f.Configured[0]
	}
	return ""
}

func (e *end) fecLine() record.EvidenceLine {
	aspect := "fec"
	if !(len(e.nic.Wire.FEC.Active) == 1 && e.nic.Carrier.Or(true)) {
		aspect = "fec configured"
	}
	return seen(e.host, e.nic, aspect, "ethtool --show-fec "+e.nic.Name, "FEC: "+e.fec())
}

// fecWord is the stronger of two corrections, as ethtool names it.
func fecWord(a, b string) string {
	for _, name := range []string{"RS", "BaseR"} {
		if a == name || b == name {
			return map[string]string{"RS": "rs", "BaseR": "baser"}[name]
		}
	}
	return "off"
}
