package rdma

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// IBRate checks the negotiated rate and lanes of each InfiniBand link.
var IBRate = check.Check{
	ID:    "ib-rate",
	Title: "the rate and the lanes that each link of InfiniBand came up with",
	Why: "two ends take the fastest that both, the cable and their settings allow: a worn plug or a setting leaves " +
		"a lane less, or a generation",
	Worst:  record.Error,
	Source: "iblinkinfo (\"Could be\"), mlxlink, sysfs-class-infiniband: rate",
	Look: func(w *check.World, r *check.Report) {
		for h, l := range ibLinks(w) {
			if l.CouldLane == "" && l.CouldLanes == 0 || l.State == "DOWN" || l.Lanes == 0 || l.Lane == "" {
				continue
			}
			could := max(l.CouldLanes, l.Lanes)
			lane := l.Lane
			if l.CouldLane != "" {
				lane = l.CouldLane
			}
			r.Found(slow(h.Subject(l.Node+" to "+l.Peer), l.Lanes, l.Lane, could, lane, "as both ends support",
				[]record.EvidenceLine{{Host: h.Name, Source: l.Source, Line: l.Line}}), record.PartsOf(l.Node))
		}
		for _, h := range w.Hosts {
			for i := range h.Facts.Phys {
				ratePhy(h, &h.Facts.Phys[i], r)
			}
		}
		for p := range rdmaPorts(w) {
			ratePort(w, p, r)
		}
	},
}

// slow is the finding of a link that is below what it could.
func slow(subject record.Subject, lanes int, lane string, couldLanes int, couldLane, why string,
	e []record.EvidenceLine) record.Finding {
	was, could := unit.BitRate(lanes)*facts.LaneRate(lane), unit.BitRate(couldLanes)*facts.LaneRate(couldLane)
	f := record.Finding{
		Severity: record.Error, Subject: subject,
		Have: fmt.Sprintf("%dX %s, %s", lanes, lane, was), Want: fmt.Sprintf("%dX %s, %s, %s", couldLanes, couldLane, could,
			why),
		Evidence: e, Consequence: fmt.Sprintf("the link carries %s at most, %s less than it could", was, could-was),
		Fix: "plug the cable again, then try another one that is rated for the speed; look whether a speed is switched off " +
			"at either end (ibportstate LID PORT query: LinkSpeedEnabled; mlxlink -d DEVICE)",
	}
	if could > 0 {
		f.Loss = unit.Known(1 - float64(was)/float64(could))
	}
	return f
}

// ratePhy checks mlxlink's output about a port: the port and the cable support more than is in use, or a NIC whose
// firmware is of a faster one runs at the first generations, to which healthy links do not fall back.
func ratePhy(h *check.Host, y *facts.Phy, r *check.Report) {
	if y.Lane == "" || y.State != "" && y.State != "Active" {
		return
	}
	best := ""
	for _, s := range y.Enabled {
		if slices.Contains(y.Cable, s) && facts.LaneRate(s) > facts.LaneRate(best) {
			best = s
		}
	}
	subject := h.Subject(strings.TrimSpace("port " + y.Device))
	e := []record.EvidenceLine{}
	for _, aspect := range []string{"speed", "advice"} {
		if p, ok := y.Proofs[aspect]; ok && (aspect == "speed" || y.Opcode != 0) {
			e = append(e, record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line})
		}
	}
	lanes := max(y.Lanes, 1)
	switch {
	case best != "" && facts.LaneRate(best) > facts.LaneRate(y.Lane):
		r.Found(slow(subject, lanes, y.Lane, lanes, best, "which the port and the cable allow", e), h.Subject(y.Device))
	case tooSlow(y.Lane) && fasterNIC(y.Firmware):
		f := slow(subject, lanes, y.Lane, lanes, "FDR", "which is the least that NICs of this firmware have", e)
		if y.Opcode != 0 {
			f.Have += "; mlxlink: " + y.Advice
		}
		r.Found(f, h.Subject(y.Device))
	}
}

// ratePort checks a port in sysfs or ibstat: it runs below the plan, or at the first generations on a faster NIC.
func ratePort(w *check.World, p rdmaPort, r *check.Report) {
	rate, known := p.port.Rate.Get()
	if !p.infiniband() || !known || p.port.State.Or("") != "ACTIVE" {
		return
	}
	if p.plan != nil && p.plan.Link != nil && p.plan.Link.InfiniBand && p.plan.Link.Speed > 0 {
		if want := p.plan.Link.Speed; float64(rate) < 0.9*float64(want) {
			r.Found(record.Finding{
				Severity: record.Error, Subject: p.subject(), Have: rate.String() + width(p),
				Want:     want.String() + ", as the link " + p.plan.Link.Name + " is planned",
				Evidence: p.evidence("rate"), Consequence: fmt.Sprintf("the link carries %s less than planned", want-rate),
				Loss: unit.Known(1 - float64(rate)/float64(want)),
				Fix: "plug the cable again, then try another one that is rated for the speed; iblinkinfo says of each link what " +
					"it could be",
			}, p.about()...)
			return
		}
	}
	lanes, wide := p.port.Lanes.Get()
	if wide && tooSlow(p.port.Lane) && fasterNIC(p.device.Firmware.Or("")) {
		r.Found(slow(p.subject(), lanes, p.port.Lane, lanes, "FDR",
			"which is the least that NICs of this firmware have", p.evidence("rate")), p.about()...)
	}
}

func width(p rdmaPort) string {
	if w, ok := p.port.Width.Get(); ok {
		return " (" + w + ")"
	}
	return ""
}

// tooSlow reports whether a generation is too slow to be that of the peer: QDR switches are still in use, SDR and DDR
// ones hardly.
func tooSlow(lane string) bool { return lane == "SDR" || lane == "DDR" }

// fasterNIC reports whether a firmware is of a NIC with the driver mlx5, which supports at least FDR: its first number
// is 10 (Connect-IB), 12, 14, 16 (ConnectX-4, 4 Lx, 5) and more.
func fasterNIC(firmware string) bool {
	major, _, _ := strings.Cut(firmware, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n >= 10 && n < 100
}
