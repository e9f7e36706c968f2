package facts

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

var (
	eosPFCRow    = lazyregexp.New(`^\s*((?:Et|Po|Ma)\d\S*|Ethernet\d\S*)\s+([ED-])\s+([A-])\s+([W-])\s+(-|[\d, ]+?)(?:\s|$)`)
	eosPFCOld    = lazyregexp.New(`^\s*((?:Et|Po)\d\S*|Ethernet\d\S*)\s+(Yes|No)\s+(-|[\d, ]+?)\s+(Yes|No)(?:\s|$)`)
	eosPFCCounts = lazyregexp.New(`^\s*((?:Et|Po|Ma)\d\S*|Ethernet\d\S*)\s+([\d,]+)\s+([\d,]+)\s*$`)
)

// readEOSPFC reads "show priority-flow-control". Its letters: E enabled, D disabled, A active, W watched. Capture: a port with PFC off
// (democratic-csi issue 241); a port with it on has the letters that the answer explains. A user's guide has an older form: Yes 3 Yes.
func readEOSPFC(f *Facts, _ []string, text []byte) error {
	if !eosPFCHead.Match(text) {
		return toolError(text)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		port, on, active, watched, list := "", false, false, unit.Opt[bool]{}, ""
		if m := eosPFCRow.FindStringSubmatch(line); m != nil {
			port, on, active, watched, list = m[1], m[2] == "E", m[3] == "A", known(m[4] == "W"), m[5]
		} else if m := eosPFCOld.FindStringSubmatch(line); m != nil {
			port, on, list, active = m[1], m[2] == "Yes", m[3], m[4] == "Yes"
		} else {
			continue
		}
		classes, ok := intList(strings.TrimPrefix(list, "-"))
		n := f.eosPort(port)
		f.pfcShown(n, on, active, classes, ok, line)
		learn(&n.effect().Watchdog, watched)
		n.effect().proves("watchdog", f.proof(line))
	}
	return nil
}

// pfcShown takes what a switch's table says of PFC on a port: that it is set, and whether it is in effect.
func (f *Facts) pfcShown(n *Interface, set, inEffect bool, classes []int, ok bool, line string) {
	c := n.effect()
	p := f.proof(line)
	switch {
	case !inEffect:
		c.PFCReceive, c.PFCSend = known([]int{}), known([]int{})
	case ok && len(classes) > 0:
		c.PFCReceive, c.PFCSend = known(classes), known(classes)
	default:
		why := "the answer does not say for which priorities"
		learn(&c.PFCReceive, unit.Unknown[[]int](why))
		learn(&c.PFCSend, unit.Unknown[[]int](why))
	}
	c.proves("pfc", p)
	if set && !inEffect {
		f.said.idle = append(f.said.idle, notInEffect{n.Name, "PFC", p})
	}
}

// readEOSPFCCounters reads "show priority-flow-control counters": port, RxPfc, TxPfc. There is no capture of it: its three columns
// are those that another project's parser expects.
func readEOSPFCCounters(f *Facts, _ []string, text []byte) error {
	if !strings.Contains(string(text), "RxPfc") {
		return toolError(text)
	}
	for line := range strings.Lines(string(text)) {
		m := eosPFCCounts.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		n := f.eosPort(m[1])
		for i, what := range []Counted{PauseReceived, PauseSent} {
			v, ok := number(m[2+i])
			if ok {
				f.classCounted([]ClassCounted{ClassPauseReceived, ClassPauseSent}[i], n.Name, AllClasses, v, line)
			}
			if ok && v > 0 {
				f.counted(what, n.Name, v, unit.Opt[uint64]{}, line)
			}
		}
	}
	return nil
}
