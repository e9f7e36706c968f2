package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

var (
	onyxLong   = lazyregexp.New(`^(?:[Ee]thernet|Eth) ?(\d+/\d+(?:/\d+)?)$`)
	onyxNames  = lazyregexp.New(`^(?:Eth\d+/\d+(?:/\d+)?|Po\d+|Mpo\d+|mgmt\d+)$`)
	onyxBlock  = lazyregexp.New(`^(Eth\d+/\d+(?:/\d+)?|Po\d+|Mpo\d+):\s*$`)
	onyxField  = lazyregexp.New(`^\s+([A-Za-z][A-Za-z0-9 ()-]*?)\s*:\s(.*)$`)
	onyxCount  = lazyregexp.New(`^\s+(\d+)\s+([a-z][a-z ]*?)\s*$`)
	onyxChange = lazyregexp.New(`\((\d+) oper change`)
)

// onyxName is the name of a port as the JSON has it: Eth1/1 of Ethernet1/1.
func onyxName(s string) string {
	if m := onyxLong.FindStringSubmatch(s); m != nil {
		return "Eth" + m[1]
	}
	return s
}

// onyxPort returns the interface of that name; nil if it is none of the switch's ports or aggregated links.
func (f *Facts) onyxPort(name string) *Interface {
	name = onyxName(name)
	if !onyxNames.MatchString(name) {
		return nil
	}
	n := f.nic(name)
	if strings.HasPrefix(name, "Po") || strings.HasPrefix(name, "Mpo") {
		n.Kind = "bond"
	}
	return n
}

// onyxSaid are the fields of a port in one of the forms of an answer, each with its line. Counters are "rx packets", "tx discard packets".
type onyxSaid struct {
	value map[string]string
	line  map[string]string
}

func (s onyxSaid) put(key, value, line string) {
	s.value[strings.ToLower(key)], s.line[strings.ToLower(key)] = value, line
}

// readOnyxInterfaces reads "show interfaces ethernet" of one port or all, text or JSON. Captures: Onyx 3.7.1160 (text, napalm-onyx), MLNX-OS
// 3.6 (JSON, mellanox.onyx of Ansible).
func readOnyxInterfaces(f *Facts, _ []string, text []byte) error {
	if onyxTextHead.Match(text) {
		return f.onyxText(text)
	}
	n, err := jsonTree(text)
	if err != nil {
		return err
	}
	found := 0
	for _, p := range n.kids { // a list, or, newer, named by the port
		name := p.kid("header").str()
		if name == "" {
			name = p.key
		}
		if f.onyxPort(name) == nil {
			continue
		}
		found++
		s := onyxSaid{map[string]string{}, map[string]string{}}
		for _, v := range p.members() {
			switch v.kind {
			case 'v':
				s.put(v.key, v.str(), v.line())
			default:
				for _, c := range v.members() {
					s.put(v.key+" "+c.key, c.str(), c.line())
				}
			}
		}
		f.onyxTake(name, s)
	}
	if found == 0 {
		return toolError(text)
	}
	return nil
}

func (f *Facts) onyxText(text []byte) error {
	name, way := "", ""
	var s onyxSaid
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := onyxBlock.FindStringSubmatch(line); m != nil {
			if name != "" {
				f.onyxTake(name, s)
			}
			name, way, s = m[1], "", onyxSaid{map[string]string{}, map[string]string{}}
			continue
		}
		if name == "" {
			continue
		}
		switch t := strings.TrimSpace(line); {
		case t == "Rx:" || t == "Tx:":
			way = strings.TrimSuffix(t, ":")
		case way != "":
			if m := onyxCount.FindStringSubmatch(line); m != nil {
				s.put(way+" "+m[2], m[1], line)
			}
		default:
			if m := onyxField.FindStringSubmatch(line); m != nil {
				s.put(m[1], strings.TrimSpace(m[2]), line)
			}
		}
	}
	if name == "" {
		return toolError(text)
	}
	f.onyxTake(name, s)
	return nil
}

// onyxTake keeps what was said of a port.
func (f *Facts) onyxTake(name string, s onyxSaid) {
	n := f.onyxPort(name)
	if n == nil {
		return
	}
	if state := s.value["operational state"]; state != "" {
		n.eosState(s.value["admin state"] == "Enabled", state == "Up", f.proof(s.line["operational state"]))
	}
	if fields := strings.Fields(s.value["mtu"]); len(fields) > 0 {
		if v, err := strconv.Atoi(fields[0]); err == nil && v > 0 {
			n.MTU = v
			n.proves("mtu", f.proof(s.line["mtu"]))
		}
	}
	if v := strings.ToLower(s.value["mac address"]); v != "" {
		n.MAC = v
	}
	if n.Carrier.Or(false) && n.Kind == "" && s.value["actual speed"] != "" {
		learn(&n.Speed, portSpeed(s.value["actual speed"]))
		n.proves("speed", f.proof(s.line["actual speed"]))
	}
	if can, offers := speedModes(s.value["supported speeds"]), speedModes(s.value["advertised speeds"]); can != nil && offers != nil {
		n.Wire.Supported, n.Wire.Advertised = can, offers
	}
	n.corrected(s.value["fec"], s.value["operational fec"], f.proof(s.line["operational fec"]))
	if flow := strings.Fields(s.value["flow-control"]); len(flow) == 4 { // receive off send off
		c := n.effect()
		c.PauseRx, c.PauseTx = known(flow[1] == "on"), known(flow[3] == "on")
		c.proves("pause", f.proof(s.line["flow-control"]))
	}
	if m := onyxChange.FindStringSubmatch(s.value["last change in operational status"]); m != nil {
		if v, _ := strconv.ParseUint(m[1], 10, 64); v/2 > 0 {
			f.counted(LinkDowns, n.Name, v/2, unit.Opt[uint64]{}, s.line["last change in operational status"])
		}
	}
	f.onyxCounted(n.Name, s)
}

// onyxCounters are the counters of losses, each with what moved the same way. "error packets" counts what fcs and symbol errors count.
var onyxCounters = []struct {
	what  Counted
	names []string
	moved string
}{
	{BadFrames, []string{"rx fcs errors", "rx symbol errors"}, "rx packets"},
	{ReceiveDrops, []string{"rx discard packets"}, "rx packets"},
	{PauseReceived, []string{"rx pause packets"}, "rx packets"},
	{QueueDrops, []string{"tx discard packets", "tx hoq discard packets"}, "tx packets"},
	{PauseSent, []string{"tx pause packets"}, "tx packets"},
}

func (f *Facts) onyxCounted(port string, s onyxSaid) {
	n := f.nic(port)
	for key, name := range map[string]string{"rx packets": "rx_packets", "tx packets": "tx_packets"} {
		if v, ok := number(s.value[key]); ok {
			if n.Counters == nil {
				n.Counters = map[string]uint64{}
			}
			n.Counters[name] = v
		}
	}
	for _, c := range onyxCounters {
		sum, line := uint64(0), ""
		for _, name := range c.names {
			if v, ok := number(s.value[name]); ok && v > 0 {
				sum += v
				if line == "" {
					line = s.line[name]
				}
			}
		}
		if sum == 0 && c.what == BadFrames { // a release without the single ones
			if v, ok := number(s.value["rx error packets"]); ok && s.value["rx fcs errors"] == "" {
				sum, line = v, s.line["rx error packets"]
			}
		}
		if sum > 0 {
			f.counted(c.what, port, sum, counterOf(n, strings.Replace(c.moved, " ", "_", 1)), line)
		}
	}
}

var onyxStatusRow = lazyregexp.New(`^(mgmt\d+|Ethernet\d+/\d+(?:/\d+)?|Eth\d+/\d+(?:/\d+)?|Po\d+|Mpo\d+)\s+(Up|Down)\S*\s+(Enabled|Disabled)\s+(.*?)\s+(?:-|\S.*)?$`)

// readOnyxStatus reads "show interfaces status", text (napalm-onyx) or JSON (mellanox.onyx).
func readOnyxStatus(f *Facts, _ []string, text []byte) error {
	found := 0
	if n, err := jsonTree(text); err == nil {
		for _, p := range n.members() {
			port := f.onyxPort(p.key)
			state := p.kid("Operational state")
			if port == nil || state.str() == "" {
				continue
			}
			found++
			port.Carrier = known(strings.HasPrefix(state.str(), "Up"))
			port.proves("carrier", f.proof(state.line()))
			if port.Carrier.Or(false) && port.Kind == "" {
				learn(&port.Speed, portSpeed(p.kid("Speed").str()))
			}
		}
	} else {
		for line := range strings.Lines(string(text)) {
			m := onyxStatusRow.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
			if m == nil {
				continue
			}
			port := f.onyxPort(m[1])
			found++
			port.eosState(m[3] == "Enabled", m[2] == "Up", f.proof(line))
			if m[2] == "Up" && port.Kind == "" {
				learn(&port.Speed, portSpeed(m[4]))
				port.proves("speed", f.proof(line))
			}
		}
	}
	if found == 0 {
		return toolError(text)
	}
	return nil
}

var (
	onyxLAG    = lazyregexp.New(`^\d+\s+(M?[Pp]o\d+)\((\w+)\)$`)
	onyxMember = lazyregexp.New(`(Eth\d+/\d+(?:/\d+)?)\((\w)\)`)
)

// readOnyxChannels reads "show interfaces port-channel summary" and "show interfaces mlag-port-channel summary", JSON: "1 Po22(D)" with its
// "Member Ports": "Eth1/7(D)". Captures: mellanox.onyx.
func readOnyxChannels(f *Facts, _ []string, text []byte) error {
	n, err := jsonTree(text)
	if err != nil {
		return err
	}
	all := n.members()
	if m := n.kid("MLAG Port-Channel Summary"); m != nil {
		all = m.members()
	}
	found := 0
	for _, l := range all {
		m := onyxLAG.FindStringSubmatch(l.key)
		if m == nil {
			continue
		}
		found++
		name := f.onyxPort(m[1]).Name
		f.lag(name, strings.ContainsAny(m[2], "UP"))
		ports := l.first("Member Ports", "Local Ports (D/P/S/I)")
		for _, p := range onyxMember.FindAllStringSubmatch(ports.str(), -1) {
			f.member(lagMember{name, p[1], p[2] == "P", p[2], f.proof(ports.line())})
		}
	}
	if found == 0 && n.kid("Flags") == nil {
		return toolError(text)
	}
	return nil
}

// readOnyxMLAG reads "show mlag", JSON. What the two switches have differently is marked in the value: "00:00:5E:00:01:4E [Mismatched]".
// Captures: mellanox.onyx.
func readOnyxMLAG(f *Facts, _ []string, text []byte) error {
	n, err := jsonTree(text)
	if err != nil {
		return err
	}
	state := n.kid("Operational status")
	if state == nil {
		return toolError(text)
	}
	m := &MLAG{Enabled: known(n.kid("Admin status").str() == "Enabled"), State: state.str(), Proof: f.proof(state.line())}
	if v, err := strconv.Atoi(n.get("MLAG Ports Status Summary", "Active-partial").str()); err == nil {
		m.Partial = known(v)
	}
	for _, v := range n.kids {
		if strings.Contains(v.str(), "[Mismatched]") {
			m.Mismatches = append(m.Mismatches, Mismatch{v.key, f.proof(v.line())})
		}
	}
	for _, ipl := range n.kid("MLAG IPLs Summary").members() {
		m.Peer = ipl.kid("Operational State").str()
	}
	f.Switch.MLAG = m
	return nil
}
