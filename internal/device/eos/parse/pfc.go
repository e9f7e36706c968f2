package parse

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

var (
	eosPFCRow    = lazyregexp.New(`^\s*((?:Et|Po|Ma)\d\S*|Ethernet\d\S*)\s+([ED-])\s+([A-])\s+([W-])\s+(-|[\d, ]+?)(?:\s|$)`)
	eosPFCOld    = lazyregexp.New(`^\s*((?:Et|Po)\d\S*|Ethernet\d\S*)\s+(Yes|No)\s+(-|[\d, ]+?)\s+(Yes|No)(?:\s|$)`)
	eosPFCCounts = lazyregexp.New(`^\s*((?:Et|Po|Ma)\d\S*|Ethernet\d\S*)\s+([\d,]+)\s+([\d,]+)\s*$`)
)

// readEOSPFC reads "show priority-flow-control". Its letters: E enabled, D disabled, A active, W watched. Snapshot: a
// port with PFC off (democratic-csi issue 241); the output explains the letters of a port with PFC on. A user's guide
// has an older form: Yes 3 Yes.
func readEOSPFC(f *parse.Builder, _ []string, text []byte) error {
	if !eosPFCHead.Match(text) {
		return parse.ToolError(text)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		port, on, active, watched, list := "", false, false, unit.Opt[bool]{}, ""
		if m := eosPFCRow.FindStringSubmatch(line); m != nil {
			port, on, active, watched, list = m[1], m[2] == "E", m[3] == "A", unit.Known(m[4] == "W"), m[5]
		} else if m := eosPFCOld.FindStringSubmatch(line); m != nil {
			port, on, list, active = m[1], m[2] == "Yes", m[3], m[4] == "Yes"
		} else {
			continue
		}
		classes, ok := parse.IntList(strings.TrimPrefix(list, "-"))
		n := eosPort(f, port)
		show.KeepPFC(f, n, on, active, classes, ok, line)
		parse.Learn(&parse.Effect(n).Watchdog, watched)
		parse.Effect(n).Proves("watchdog", f.Proof(line))
	}
	return nil
}

// readEOSPFCCounters reads "show priority-flow-control counters": port, RxPfc, TxPfc. No snapshot of it exists: its
// three columns are those that another project's parser expects.
func readEOSPFCCounters(f *parse.Builder, _ []string, text []byte) error {
	if !strings.Contains(string(text), "RxPfc") {
		return parse.ToolError(text)
	}
	for line := range strings.Lines(string(text)) {
		m := eosPFCCounts.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		n := eosPort(f, m[1])
		for i, what := range []facts.Counted{facts.PauseReceived, facts.PauseSent} {
			v, ok := parse.Number(m[2+i])
			if ok {
				f.ClassCounted([]facts.ClassCounted{facts.ClassPauseReceived, facts.ClassPauseSent}[i], n.Name, facts.AllClasses,
					v, line)
			}
			if ok && v > 0 {
				f.Counted(what, n.Name, v, unit.Opt[uint64]{}, line)
			}
		}
	}
	return nil
}
