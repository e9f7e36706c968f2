package check

import (
	"fmt"
	"iter"
	"regexp"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// events are what all machines say of that kind.
func (w *World) events(what facts.Happening) iter.Seq2[*Host, facts.Event] {
	return func(yield func(*Host, facts.Event) bool) {
		for _, h := range w.Hosts {
			for _, e := range h.Facts.Events {
				if e.What == what && !yield(h, e) {
					return
				}
			}
		}
	}
}

// worded are findings of events that need no more than their words. fix is for those whose fix is another one on each system.
func worded(w *World, r *report, what facts.Happening, f record.Finding, fix ...command) {
	for h, e := range w.events(what) {
		f := f
		f.Subject, f.Severity = subjectOf(h, e.Subject), w.there(h, e.Subject, f.Severity)
		f.Have += inBrackets(e.Detail)
		for _, c := range fix {
			f.Fix = c.on(h)
		}
		if e.Count > 1 {
			f.Have += fmt.Sprintf(", said %s times", count(uint64(e.Count)))
		}
		f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}}
		r.found(f, about(h, e.Subject)...)
	}
}

var checkModuleRefused = Check{
	ID:     "module-refused",
	Title:  "modules and cables that the device does not take",
	Why:    "cards and switches of some makers ask a module who made it, and keep the port off if they do not like the answer",
	Worst:  record.Error,
	Source: "the driver's or the switch's own words",
	look: func(w *World, r *report) {
		worded(w, r, facts.ModuleRefused, record.Finding{Severity: record.Error, Have: "the module is refused", Want: "a module that the device takes",
			Consequence: "the port carries nothing"}, otherModule)
	},
}

var checkPortDisabled = Check{
	ID:      "port-errdisabled",
	Title:   "ports that the device itself took out of service",
	Why:     "a switch shuts a port for a module, a loop, flapping or an address it does not allow, and leaves it so",
	Worst:   record.Error,
	Source:  "the switch's own words",
	Because: []string{"module-refused"},
	look: func(w *World, r *report) {
		worded(w, r, facts.PortDisabled, record.Finding{Severity: record.Error, Have: "shut by the device", Want: "up", Consequence: "the port carries nothing",
			Fix: "find the cause (the switch's log, show interfaces status errdisabled), mend it, then shut the port and open it again"})
	},
}

var checkTxTimeout = Check{
	ID:     "tx-timeout",
	Title:  "cards that stopped sending",
	Why:    "the watchdog found a queue that did not move, and started the card anew: the driver, its firmware, the bus or heat",
	Worst:  record.Error,
	Source: "net/sched/sch_generic.c: NETDEV WATCHDOG; FreeBSD: watchdog timeout",
	look: func(w *World, r *report) {
		for h, e := range w.events(facts.TxTimeout) {
			f := record.Finding{Severity: record.Error, Subject: subjectOf(h, e.Subject), Have: fmt.Sprintf("stopped sending %s times", count(uint64(e.Count))), Want: "never",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
				Consequence: "nothing goes out for seconds each time, and what was in the queue is lost",
				Fix:         "the newest driver and firmware of the card; then look at its heat and its slot (linerate facts --local)"}
			if e.Count < 2 {
				f.Severity, f.Have = record.Warning, "stopped sending once"
			}
			f.Severity = w.there(h, e.Subject, f.Severity)
			r.found(f, about(h, e.Subject)...)
		}
	},
}

// endsAt255 are the counters of InfiniBand that have 8 bits and stay at their highest value (PortCounters, LinkDownedCounter).
var endsAt255 = regexp.MustCompile(`(?i)link_?downed`)

var full = map[bool]string{true: " or more, where the counter ends"}

var checkFlap = Check{
	ID:     "flap",
	Title:  "links that come and go",
	Why:    "each time nothing is carried for seconds; a plug that is not all in, a module too hot, two ends that negotiate differently",
	Worst:  record.Warning,
	Source: "sysfs-class-net: carrier_down_count; sysfs-class-infiniband: link_downed",
	look: func(w *World, r *report) {
		add := func(h *Host, subject string, n uint64, line record.EvidenceLine) {
			r.found(record.Finding{
				Severity: w.there(h, subject, record.Warning), Subject: subjectOf(h, subject), Have: fmt.Sprintf("the link was lost %s times", count(n)) + full[n == 255 && endsAt255.MatchString(line.Line)], Want: "only when somebody pulls the cable",
				Evidence:    []record.EvidenceLine{line},
				Consequence: "nothing is carried for a second or more each time",
				Fix:         "seat the plugs anew, then another cable or module; the same speed, FEC and negotiation at both ends",
			}, about(h, subject)...)
		}
		seen := map[string]bool{}
		for _, t := range w.tallies(map[facts.Counted]weight{facts.LinkDowns: downs}) {
			seen[subjectOf(t.host, t.subject)] = true
			c := t.counts[0]
			add(t.host, t.subject, c.Value, record.EvidenceLine{Host: t.host.Name, Source: c.Source, Line: c.Line})
		}
		for h, e := range w.events(facts.LinkDown) {
			if uint64(e.Count) >= downs.few && !seen[subjectOf(h, e.Subject)] {
				add(h, e.Subject, uint64(e.Count), record.EvidenceLine{Host: h.Name, Source: e.Source, Line: e.Line})
			}
		}
	},
}

var checkNoLink = Check{
	ID:      "no-link",
	Title:   "ports with a signal and no link",
	Why:     "something is plugged in and sends, but the two ends do not agree: speed, negotiation or FEC",
	Worst:   record.Error,
	Source:  "IEEE 802.3, clauses 28, 73 and 46.3.4 (local fault)",
	Because: []string{"module-refused", "port-errdisabled"},
	look: func(w *World, r *report) {
		worded(w, r, facts.LinkFailed, record.Finding{Severity: record.Error, Have: "a signal, and no link", Want: "a link", Consequence: "the port carries nothing",
			Fix: "the same at both ends: negotiation on or off, the same speed, the same FEC; then another cable"})
	},
}

var checkMemberDown = Check{
	ID:      "lag-member-down",
	Title:   "members of aggregated links",
	Why:     "a bond that has lost a member works on with less, and nobody sees it until the next one fails",
	Worst:   record.Warning,
	Source:  "IEEE 802.1AX",
	Because: []string{"module-refused", "port-errdisabled", "no-link"},
	look: func(w *World, r *report) {
		worded(w, r, facts.MemberDown, record.Finding{Severity: record.Warning, Have: "a member without a link", Want: "a link, as the others of the bond have",
			Consequence: "the bond carries less by that member, and has one less to lose", Fix: "look at the cable and at both ends of this member; take it out of the bond if it is not wanted"})
	},
}

var checkResource = Check{
	ID:     "pci-resource",
	Title:  "cards without the address windows that they asked for",
	Why:    "a card that the machine gives too little address space may not start, or starts without its virtual functions",
	Worst:  record.Warning,
	Source: "drivers/pci/setup-res.c: failed to assign",
	look: func(w *World, r *report) {
		worded(w, r, facts.NoResource, record.Finding{Severity: record.Warning, Have: "an address window could not be given", Want: "all that the card asks for",
			Consequence: "the card, or what is behind that bridge, may not work, or only in part",
			Fix:         "in the firmware's setup: Above 4G Decoding on, Resizable BAR off, SR-IOV off where it is not used; then pci=realloc on the kernel's command line"})
	},
}
