package parse

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

// statusLooks matches the header of "show interface status". EOS has the same words, without the line of dashes above.
const statusLooks = `(?m)^-{40,}[ \t]*\r?\n[ \t]*Port[ \t]+Name[ \t]+Status[ \t]+Vlan[ \t]+Duplex[ \t]+Speed[ \t]+Type`

var (
	statusForm = lazyregexp.New(statusLooks)
	// A description may contain anything, so the row is found by its state and duplex.
	statusRow = lazyregexp.New(`^\s*(` + portNames + `)\s+(?:\S.*?\s)?` +
		`(connected|notconnec\w*|disabled|xcvrAbsen\w*|sfpAbsent|err-disab\w*|errDisab\w*|channelDo\w*|noOperMem\w*|` +
		`suspend\w*|inactive|down|linkFlapE\w*|sfpInvali\w*|vlanDown|suspnd\w*)\s+` +
		`(?:\S+)\s+(full|half|auto)\s+(auto|\d+(?:\.\d+)?G?|a-\d\S*)(?:\s|$)`)
)

// readStatus reads "show interface status":
//
//	Eth1/1        uplink             connected trunk     full    10G     10Gbase-SR
//
// Snapshots: ntc-templates.
func readStatus(f *parse.Builder, _ []string, text []byte) error {
	if !statusForm.Match(text) {
		return parse.ToolError(text)
	}
	for line := range strings.Lines(string(text)) {
		m := statusRow.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		n := port(f, m[1])
		link := m[2] == "connected"
		show.SetState(n, m[2] != "disabled", link, f.Proof(line))
		switch {
		case link && n.Kind == "":
			setSpeed(n, m[4], m[3], f.Proof(line))
		case m[2] != "disabled" && !strings.HasPrefix(m[2], "notconnec") && !link:
			n.Up, n.UpKnown = false, false // a port without a module may be enabled or not
		}
	}
	return nil
}
