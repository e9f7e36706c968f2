package link

import (
	"fmt"
	"regexp"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// ModuleRefused checks for modules and cables that the device rejects.
var ModuleRefused = check.Check{
	ID:    "module-refused",
	Title: "modules and cables that the device does not take",
	Why: "NICs and switches of some makers ask a module who made it, and keep the port off if they do not like the " +
		"answer",
	Worst:  record.Error,
	Source: "the driver's or the switch's own words",
	Look: func(w *check.World, r *check.Report) {
		check.Worded(w, r, facts.ModuleRefused, record.Finding{Severity: record.Error, Have: "the module is refused",
			Want: "a module that the device takes", Consequence: "the port carries nothing"}, check.OtherModule)
	},
}

// PortDisabled checks for ports that the device itself disabled.
var PortDisabled = check.Check{
	ID:      "port-errdisabled",
	Title:   "ports that the device itself took out of service",
	Why:     "a switch shuts a port for a module, a loop, flapping or an address it does not allow, and leaves it so",
	Worst:   record.Error,
	Source:  "the switch's own words",
	Because: []string{"module-refused"},
	Look: func(w *check.World, r *check.Report) {
		check.Worded(w, r, facts.PortDisabled, record.Finding{Severity: record.Error, Have: "shut by the device", Want: "up",
			Consequence: "the port carries nothing",
			Fix: "find the cause (the switch's log, show interfaces status errdisabled), mend it, then shut the port " +
				"and open it again"})
	},
}

// TxTimeout checks for adapters that stopped sending.
var TxTimeout = check.Check{
	ID:    "tx-timeout",
	Title: "NICs that stopped sending",
	Why: "the watchdog found a queue that did not move, and started the NIC again: the driver, its firmware, the " +
		"bus or heat",
	Worst:  record.Error,
	Source: "net/sched/sch_generic.c: NETDEV WATCHDOG; FreeBSD: watchdog timeout",
	Look: func(w *check.World, r *check.Report) {
		for h, e := range w.Events(facts.TxTimeout) {
			f := record.Finding{Severity: record.Error, Subject: check.SubjectOf(h, e.Subject),
				Have: fmt.Sprintf("stopped sending %s times", check.Count(uint64(e.Count))), Want: "never",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
				Consequence: "nothing goes out for seconds each time, and what was in the queue is lost",
				Fix: "the newest driver and firmware of the NIC; then look at its heat and its slot (linerate facts " +
					"--local)"}
			if e.Count < 2 {
				f.Severity, f.Have = record.Warning, "stopped sending once"
			}
			f.Severity = w.There(h, e.Subject, f.Severity)
			r.Found(f, check.About(h, e.Subject)...)
		}
	},
}

// endsAt255 matches the InfiniBand counters that have 8 bits and stop at 255 (PortCounters, LinkDownedCounter).
var endsAt255 = regexp.MustCompile(`(?i)link_?downed`)

func orMore(full bool) string { return unit.If(full, " or more, where the counter ends", "") }

// Flap checks for links that go up and down.
var Flap = check.Check{
	ID:    "flap",
	Title: "links that come and go",
	Why: "each time nothing is carried for seconds; a plug that is not all in, a module too hot, two ends that " +
		"negotiate differently",
	Worst:  record.Warning,
	Source: "sysfs-class-net: carrier_down_count; sysfs-class-infiniband: link_downed",
	Look: func(w *check.World, r *check.Report) {
		add := func(h *check.Host, subject string, n uint64, line record.EvidenceLine) {
			r.Found(record.Finding{
				Severity: w.There(h, subject, record.Warning), Subject: check.SubjectOf(h, subject),
				Have: fmt.Sprintf("the link was lost %s times", check.Count(n)) + orMore(n == 255 &&
					endsAt255.MatchString(line.Line)), Want: "only when somebody pulls the cable",
				Evidence:    []record.EvidenceLine{line},
				Consequence: "nothing is carried for a second or more each time",
				Fix: "plug the connectors in again, then another cable or module; the same speed, FEC and " +
					"negotiation at both ends",
			}, check.About(h, subject)...)
		}
		seen := map[string]bool{}
		for _, t := range w.Tallies(map[facts.Counted]check.Weight{facts.LinkDowns: check.Downs}) {
			seen[check.SubjectOf(t.Host, t.Subject).String()] = true
			c := t.Counts[0]
			add(t.Host, t.Subject, c.Value, record.EvidenceLine{Host: t.Host.Name, Source: c.Source, Line: c.Line})
		}
		for h, e := range w.Events(facts.LinkDown) {
			if uint64(e.Count) >= check.Downs.Few && !seen[check.SubjectOf(h, e.Subject).String()] {
				add(h, e.Subject, uint64(e.Count), record.EvidenceLine{Host: h.Name, Source: e.Source, Line: e.Line})
			}
		}
	},
}

// NoLink checks for ports with a signal but no link.
var NoLink = check.Check{
	ID:      "no-link",
	Title:   "ports with a signal and no link",
	Why:     "something is plugged in and sends, but the two ends do not agree: speed, negotiation or FEC",
	Worst:   record.Error,
	Source:  "IEEE 802.3, clauses 28, 73 and 46.3.4 (local fault)",
	Because: []string{"module-refused", "port-errdisabled"},
	Look: func(w *check.World, r *check.Report) {
		check.Worded(w, r, facts.LinkFailed, record.Finding{Severity: record.Error, Have: "a signal, and no link",
			Want: "a link", Consequence: "the port carries nothing",
			Fix: "the same at both ends: negotiation on or off, the same speed, the same FEC; then another cable"})
	},
}

// MemberDown checks for missing members of bonds.
var MemberDown = check.Check{
	ID:      "lag-member-down",
	Title:   "members of aggregated links",
	Why:     "a bond that has lost a member works on with less, and it stays hidden until the next one fails",
	Worst:   record.Warning,
	Source:  "IEEE 802.1AX",
	Because: []string{"module-refused", "port-errdisabled", "no-link"},
	Look: func(w *check.World, r *check.Report) {
		check.Worded(w, r, facts.MemberDown, record.Finding{Severity: record.Warning, Have: "a member without a link",
			Want:        "a link, as the others of the bond have",
			Consequence: "the bond carries less by that member, and has one less to lose",
			Fix:         "look at the cable and at both ends of this member; take it out of the bond if it is not wanted"})
	},
}

// Resource checks for adapters that did not get their address ranges (BARs).
var Resource = check.Check{
	ID:    "pci-resource",
	Title: "NICs without the address windows that they asked for",
	Why: "a NIC that the machine gives too little address space may not start, or starts without its virtual " +
		"functions",
	Worst:  record.Warning,
	Source: "drivers/pci/setup-res.c: failed to assign",
	Look: func(w *check.World, r *check.Report) {
		check.Worded(w, r, facts.NoResource, record.Finding{Severity: record.Warning,
			Have: "an address window could not be given", Want: "all that the NIC asks for",
			Consequence: "the NIC, or what is behind that bridge, may not work, or only in part",
			Fix: "in the firmware's setup: Above 4G Decoding on, Resizable BAR off, SR-IOV off where it is not used; " +
				"then pci=realloc on the kernel's command line"})
	},
}
