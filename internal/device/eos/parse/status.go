package parse

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

var (
	// A description may contain anything, so the row is found by its state and duplex.
	eosStatusRow = lazyregexp.New(`^\s*((?:Et|Ma|Po|Vl)\d\S*)\s(.*?)\b(connected|notconnect|disabled|errdisabled|inactive|monitoring|unknown)\s+(in Po\d+|\S+)?\s+(a-full|a-half|a-auto|full|half|auto|unconf|unknown|n/a|N/A)\s+(\S+)\s*(.*)$`)
	eosErrRow    = lazyregexp.New(`^\s*((?:Et|Ma|Po)\d\S*)\s(?:.*\s)?errdisabled\s+([a-z][\w-]*)\s*$`)
)

// readEOSStatus reads "show interfaces status", text or JSON:
//
//	Et49 Core: drxx.yul01 notconnect in Po49 full 10G Not Present
//
// Snapshots: ntc-templates, a 7050SX3.
func readEOSStatus(f *parse.Builder, _ []string, text []byte) error {
	if strings.Contains(string(text[:min(len(text), 4096)]), "interfaceStatuses") {
		n, err := parse.JSONTree(text)
		if err != nil {
			return err
		}
		return eosJSON(f, n)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		m := eosStatusRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		rows++
		n := eosPort(f, m[1])
		link := m[3] == "connected"
		show.SetState(n, m[3] != "disabled", link, f.Proof(line))
		if link && n.Kind == "" {
			eosSpeed(n, parse.PortSpeed(m[6]), strings.TrimPrefix(m[5], "a-"), f.Proof(line))
			if strings.HasPrefix(m[6], "a-") { // a port that is set to one rate offers no others
				n.Wire.Supported = show.ModesOfType(strings.TrimSpace(m[7]))
				n.Wire.Advertised = n.Wire.Supported
			}
		}
		if m[3] == "errdisabled" {
			portDown(f, n.Name, "", line)
		}
		if n.Kind == "bond" {
			show.KeepLAG(f, n.Name, link)
		}
		if lag, ok := strings.CutPrefix(m[4], "in "); ok && m[3] != "disabled" {
			show.KeepMember(f, show.LAGMember{LAG: eosName(lag), Port: n.Name, In: link, Why: m[3], Proof: f.Proof(line)})
		}
	}
	if rows == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// readEOSErrdisabled reads "show interfaces status errdisabled": the ports that the switch disabled, with reasons.
// Snapshot: a 7050SX3. Without such a port it prints only a header, or nothing.
func readEOSErrdisabled(f *parse.Builder, _ []string, text []byte) error {
	for line := range strings.Lines(string(text)) {
		if m := eosErrRow.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			n := eosPort(f, m[1])
			show.SetState(n, true, false, f.Proof(line))
			portDown(f, n.Name, m[2], line)
		}
	}
	return nil
}

var eosChannelRow = lazyregexp.New(`^\s+(Po\d+)\((\S+?)\)\s+\S+\s+(.*)$`)

var eosChannelPort = lazyregexp.New(`((?:Et|Ma)\d\S*?)\(([A-Za-z+^*-]*)\)`)

// readEOSChannels reads "show port-channel summary" of EOS: Po2000(U) LACP(a) Et54/1(PG+). P is bundled, U in use.
// Snapshots: ntc-templates.
func readEOSChannels(f *parse.Builder, _ []string, text []byte) error {
	if !eosChannelHead.Match(text) {
		return parse.ToolError(text)
	}
	lag := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n ")
		rest := line
		if m := eosChannelRow.FindStringSubmatch(line); m != nil {
			lag, rest = eosName(m[1]), m[3]
			eosPort(f, lag)
			show.KeepLAG(f, lag, strings.Contains(m[2], "U"))
		} else if lag == "" || !strings.HasPrefix(line, "       ") {
			continue
		}
		for _, m := range eosChannelPort.FindAllStringSubmatch(rest, -1) {
			port := eosPort(f, m[1])
			show.KeepMember(f, show.LAGMember{LAG: lag, Port: port.Name, In: strings.Contains(m[2], "P"), Why: m[2],
				Proof: f.Proof(line)})
		}
	}
	return nil
}
