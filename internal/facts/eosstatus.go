package facts

import (
	"strings"

	"linerate/internal/base/lazyregexp"
)

var (
	// A description may have anything, so that a row is found by its state and its duplex.
	eosStatusRow = lazyregexp.New(`^\s*((?:Et|Ma|Po|Vl)\d\S*)\s(.*?)\b(connected|notconnect|disabled|errdisabled|inactive|monitoring|unknown)\s+(in Po\d+|\S+)?\s+(a-full|a-half|a-auto|full|half|auto|unconf|unknown|n/a|N/A)\s+(\S+)\s*(.*)$`)
	eosErrRow    = lazyregexp.New(`^\s*((?:Et|Ma|Po)\d\S*)\s(?:.*\s)?errdisabled\s+([a-z][\w-]*)\s*$`)
)

// readEOSStatus reads "show interfaces status", text or JSON:
//
//	Et49 Core: drxx.yul01 notconnect in Po49 full 10G Not Present
//
// Captures: ntc-templates, a 7050SX3.
func readEOSStatus(f *Facts, _ []string, text []byte) error {
	if strings.Contains(string(text[:min(len(text), 4096)]), "interfaceStatuses") {
		n, err := jsonTree(text)
		if err != nil {
			return err
		}
		return f.eosJSON(n)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		m := eosStatusRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		rows++
		n := f.eosPort(m[1])
		link := m[3] == "connected"
		n.eosState(m[3] != "disabled", link, f.proof(line))
		if link && n.Kind == "" {
			n.eosSpeed(portSpeed(m[6]), strings.TrimPrefix(m[5], "a-"), f.proof(line))
			if strings.HasPrefix(m[6], "a-") { // what is set to one rate does not offer more
				n.Wire.Supported = eosModes(strings.TrimSpace(m[7]))
				n.Wire.Advertised = n.Wire.Supported
			}
		}
		if m[3] == "errdisabled" {
			f.portDown(n.Name, "", line)
		}
		if n.Kind == "bond" {
			f.lag(n.Name, link)
		}
		if lag, ok := strings.CutPrefix(m[4], "in "); ok && m[3] != "disabled" {
			f.member(lagMember{eosName(lag), n.Name, link, m[3], f.proof(line)})
		}
	}
	if rows == 0 {
		return toolError(text)
	}
	return nil
}

// readEOSErrdisabled reads "show interfaces status errdisabled": the ports that the switch took out of service, each with why.
// Capture: a 7050SX3. Without such a port there is a head alone, or nothing.
func readEOSErrdisabled(f *Facts, _ []string, text []byte) error {
	for line := range strings.Lines(string(text)) {
		if m := eosErrRow.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			n := f.eosPort(m[1])
			n.eosState(true, false, f.proof(line))
			f.portDown(n.Name, m[2], line)
		}
	}
	return nil
}

var eosChannelRow = lazyregexp.New(`^\s+(Po\d+)\((\S+?)\)\s+\S+\s+(.*)$`)
var eosChannelPort = lazyregexp.New(`((?:Et|Ma)\d\S*?)\(([A-Za-z+^*-]*)\)`)

// readEOSChannels reads "show port-channel summary" of EOS: Po2000(U) LACP(a) Et54/1(PG+). P is bundled, U in use.
// Captures: ntc-templates.
func readEOSChannels(f *Facts, _ []string, text []byte) error {
	if !eosChannelHead.Match(text) {
		return toolError(text)
	}
	lag := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n ")
		rest := line
		if m := eosChannelRow.FindStringSubmatch(line); m != nil {
			lag, rest = eosName(m[1]), m[3]
			f.eosPort(lag)
			f.lag(lag, strings.Contains(m[2], "U"))
		} else if lag == "" || !strings.HasPrefix(line, "       ") {
			continue
		}
		for _, m := range eosChannelPort.FindAllStringSubmatch(rest, -1) {
			port := f.eosPort(m[1])
			f.member(lagMember{lag, port.Name, strings.Contains(m[2], "P"), m[2], f.proof(line)})
		}
	}
	return nil
}
