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

var (
	eosHead    = lazyregexp.New(`^(\S+) is (up|down|administratively down), line protocol is (\w+)(?: \((\S+)\))?`)
	eosMTU     = lazyregexp.New(`\bMTU (\d+) bytes`)
	eosDuplex  = lazyregexp.New(`^\s+(Full|Half|Auto)-duplex, (\S+), auto negotiation: (\w+)`)
	eosMember  = lazyregexp.New(`^\s+Member of (Port-Channel\d+)`)
	eosChanges = lazyregexp.New(`^\s+(\d+) link status changes since`)
	eosCounter = lazyregexp.New(`(\d+) ([A-Za-z][A-Za-z ]*?)(?:,|$)`)
	eosAddress = lazyregexp.New(`^\s+Hardware is \S+, address is ([0-9a-f]{4})\.([0-9a-f]{4})\.([0-9a-f]{4})\b`)
)

// readEOSInterfaces reads Arista's "show interfaces", text or JSON, of one port or of all.
// Snapshots: ntc-templates (vEOS and 7050 of several releases), suzieq, napalm, a 7050SX3.
func readEOSInterfaces(f *parse.Builder, _ []string, text []byte) error {
	if !eosHeaders.Match(text) {
		n, err := parse.JSONTree(text)
		if err != nil {
			return err
		}
		return eosJSON(f, n)
	}
	var n *facts.Interface
	var seen map[string]uint64 // the port's counters
	var lines map[string]string
	finish := func() {
		if n != nil {
			eosCounted(f, n.Name, seen, lines)
		}
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := eosHead.FindStringSubmatch(line); m != nil {
			finish()
			n, seen, lines = eosPort(f, m[1]), map[string]uint64{}, map[string]string{}
			show.SetState(n, m[2] != "administratively down" && m[4] != "disabled", m[4] == "connected" || m[4] == "" &&
				m[3] == "up", f.Proof(line))
			if m[4] == "errdisabled" {
				portDown(f, n.Name, "", line)
			}
			continue
		}
		if n == nil || !strings.HasPrefix(line, " ") {
			continue
		}
		if m := eosMTU.FindStringSubmatch(line); m != nil {
			if v, err := strconv.Atoi(m[1]); err == nil {
				n.MTU = v
				n.Proves("mtu", f.Proof(line))
			}
		}
		if m := eosAddress.FindStringSubmatch(line); m != nil {
			n.MAC = colons(m[1] + m[2] + m[3])
		}
		if m := eosDuplex.FindStringSubmatch(line); m != nil && n.Carrier.Or(false) && n.Kind == "" {
			eosSpeed(n, parse.PortSpeed(m[2]), strings.ToLower(m[1]), f.Proof(line))
		}
		if m := eosMember.FindStringSubmatch(line); m != nil {
			n.Master = m[1]
		}
		if m := eosChanges.FindStringSubmatch(line); m != nil {
			seen["link status changes"], _ = strconv.ParseUint(m[1], 10, 64)
			lines["link status changes"] = line
		}
		for _, m := range eosCounter.FindAllStringSubmatch(line, -1) {
			if v, err := strconv.ParseUint(m[1], 10, 64); err == nil {
				seen[m[2]], lines[m[2]] = v, line
			}
		}
	}
	finish()
	return nil
}

func eosSpeed(n *facts.Interface, rate unit.Opt[unit.BitRate], duplex string, p facts.Proof) {
	parse.Learn(&n.Speed, rate)
	n.Proves("speed", p)
	if duplex == "full" || duplex == "half" {
		n.Duplex = unit.Known(duplex)
		n.Proves("duplex", p)
	}
}

// colons writes a MAC address of twelve digits with colons.
func colons(digits string) string {
	var b strings.Builder
	for i := 0; i+2 <= len(digits); i += 2 {
		if i > 0 {
			b.WriteByte(':')
		}
		b.WriteString(digits[i : i+2])
	}
	return b.String()
}

// eosCounted keeps a port's counters above zero, by the words of "show interfaces".
func eosCounted(f *parse.Builder, port string, seen map[string]uint64, lines map[string]string) {
	n := f.Interface(port)
	moved := func(name, as string) unit.Opt[uint64] {
		v, ok := seen[name]
		if !ok {
			return unit.Unknown[uint64]("the answer does not have it")
		}
		if n.Counters == nil {
			n.Counters = map[string]uint64{}
		}
		n.Counters[as] = v
		return unit.Known(v)
	}
	in, out := moved("packets input", "rx_packets"), moved("packets output", "tx_packets")
	one := func(what facts.Counted, of unit.Opt[uint64], names ...string) {
		sum, line := uint64(0), ""
		for _, name := range names {
			if v := seen[name]; v > 0 {
				sum += v
				if line == "" {
					line = lines[name]
				}
			}
		}
		if sum > 0 {
			f.Counted(what, port, sum, of, line)
		}
	}
	one(facts.BadFrames, in, "CRC", "symbol", "alignment")
	one(facts.ReceiveDrops, in, "input discards")
	one(facts.QueueDrops, out, "output discards")
	one(facts.PauseReceived, in, "PAUSE input")
	one(facts.PauseSent, out, "PAUSE output")
	if v := seen["link status changes"] / 2; v > 0 { // losing and regaining a link are two changes
		f.Counted(facts.LinkDowns, port, v, unit.Opt[uint64]{}, lines["link status changes"])
	}
}
