package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

// pfcHead matches the header of the table of "show interface priority-flow-control".
const pfcHead = `(?m)^[ \t]*Port[ \t]+Mode[ \t]+Oper ?\(VL bmap\)[ \t]+RxPPP[ \t]+TxPPP`

var (
	pfcForm = lazyregexp.New(pfcHead)
	pfcRow  = lazyregexp.New(`^\s*(` + portNames + `)\s+(?i:(on|auto|off))\s+(?i:(on|off))\s*(?:\(([0-9a-fA-F]+)\))?\s+(\d+)\s+(\d+)\s*$`)
)

// readPFC reads "show interface priority-flow-control". The number in brackets has a bit for each paused priority.
// Snapshots: paregupt/ucs_traffic_monitor, a Nexus 5500 of a blog.
func readPFC(f *parse.Builder, _ []string, text []byte) error {
	if !pfcForm.Match(text) {
		return parse.ToolError(text)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		m := pfcRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n := port(f, m[1])
		classes, ok := bitsOf(m[4])
		inEffect := strings.EqualFold(m[3], "on") && !(ok && len(classes) == 0) // without a priority it is not in effect
		show.KeepPFC(f, n, strings.EqualFold(m[2], "on"), inEffect, classes, ok, line)
		for i, what := range []facts.Counted{facts.PauseReceived, facts.PauseSent} {
			v, err := strconv.ParseUint(m[5+i], 10, 64)
			if err != nil {
				continue
			}
			class := []facts.ClassCounted{facts.ClassPauseReceived, facts.ClassPauseSent}[i]
			f.ClassCounted(class, n.Name, facts.AllClasses, v, line)
			if v > 0 {
				f.Counted(what, n.Name, v, unit.Opt[uint64]{}, line)
			}
		}
	}
	return nil
}

// bitsOf returns the priorities of a number with one bit each. It may be decimal or hexadecimal, which no document
// defines, so numbers that differ in the two are unknown.
func bitsOf(s string) (classes []int, ok bool) {
	hex, err := strconv.ParseUint(s, 16, 8)
	if err != nil {
		return nil, false
	}
	if decimal, err := strconv.ParseUint(s, 10, 8); err == nil && decimal != hex {
		return nil, false
	}
	for bit := range 8 {
		if hex>>bit&1 == 1 {
			classes = append(classes, bit)
		}
	}
	return classes, true
}
