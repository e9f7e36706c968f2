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
	onyxLong   = lazyregexp.New(`^(?:[Ee]thernet|Eth) ?(\d+/\d+(?:/\d+)?)$`)
	onyxNames  = lazyregexp.New(`^(?:Eth\d+/\d+(?:/\d+)?|Po\d+|Mpo\d+|mgmt\d+)$`)
	onyxBlock  = lazyregexp.New(`^(Eth\d+/\d+(?:/\d+)?|Po\d+|Mpo\d+):\s*$`)
	onyxField  = lazyregexp.New(`^\s+([A-Za-z][A-Za-z0-9 ()-]*?)\s*:\s(.*)$`)
	onyxCount  = lazyregexp.New(`^\s+(\d+)\s+([a-z][a-z ]*?)\s*$`)
	onyxChange = lazyregexp.New(`\((\d+) oper change`)
)

// onyxName returns the name of a port in the JSON: Eth1/1 of Ethernet1/1.
func onyxName(s string) string {
	if m := onyxLong.FindStringSubmatch(s); m != nil {
		return "Eth" + m[1]
	}
	return s
}

// onyxPort returns the interface of a name; nil if it is not a port or aggregated link of the switch.
func onyxPort(f *parse.Builder, name string) *facts.Interface {
	name = onyxName(name)
	if !onyxNames.MatchString(name) {
		return nil
	}
	n := f.Interface(name)
	if strings.HasPrefix(name, "Po") || strings.HasPrefix(name, "Mpo") {
		n.Kind = "bond"
	}
	return n
}

// onyxSaid are the fields of a port in one of the output's forms, each with its line. Counters are "rx packets", "tx
// discard packets".
type onyxSaid struct {
	value map[string]string
	line  map[string]string
}

func (s onyxSaid) put(key, value, line string) {
	s.value[strings.ToLower(key)], s.line[strings.ToLower(key)] = value, line
}

// readOnyxInterfaces reads "show interfaces ethernet" of one port or all, text or JSON. Snapshots: Onyx 3.7.1160 (text,
// napalm-onyx), MLNX-OS 3.6 (JSON, mellanox.onyx of Ansible).
func readOnyxInterfaces(f *parse.Builder, _ []string, text []byte) error {
	if onyxTextHead.Match(text) {
		return onyxText(f, text)
	}
	n, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	found := 0
	for _, p := range n.Kids { // a list, or in newer releases keyed by the port
		name := p.Kid("header").Str()
		if name == "" {
			name = p.Key
		}
		if onyxPort(f, name) == nil {
			continue
		}
		found++
		s := onyxSaid{map[string]string{}, map[string]string{}}
		for _, v := range p.Members() {
			switch v.Kind {
			case 'v':
				s.put(v.Key, v.Str(), v.Line())
			default:
				for _, c := range v.Members() {
					s.put(v.Key+" "+c.Key, c.Str(), c.Line())
				}
			}
		}
		onyxTake(f, name, s)
	}
	if found == 0 {
		return parse.ToolError(text)
	}
	return nil
}

func onyxText(f *parse.Builder, text []byte) error {
	name, way := "", ""
	var s onyxSaid
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := onyxBlock.FindStringSubmatch(line); m != nil {
			if name != "" {
				onyxTake(f, name, s)
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
		return parse.ToolError(text)
	}
	onyxTake(f, name, s)
	return nil
}

// onyxTake stores the values of a port.
func onyxTake(f *parse.Builder, name string, s onyxSaid) {
	n := onyxPort(f, name)
	if n == nil {
		return
	}
	if state := s.value["operational state"]; state != "" {
		show.SetState(n, s.value["admin state"] == "Enabled", state == "Up", f.Proof(s.line["operational state"]))
	}
	if fields := strings.Fields(s.value["mtu"]); len(fields) > 0 {
		if v, err := strconv.Atoi(fields[0]); err == nil && v > 0 {
			n.MTU = v
			n.Proves("mtu", f.Proof(s.line["mtu"]))
		}
	}
	if v := strings.ToLower(s.value["mac address"]); v != "" {
		n.MAC = v
	}
	if n.Carrier.Or(false) && n.Kind == "" && s.value["actual speed"] != "" {
		parse.Learn(&n.Speed, parse.PortSpeed(s.value["actual speed"]))
		n.Proves("speed", f.Proof(s.line["actual speed"]))
	}
	if can, offers := show.SpeedModes(s.value["supported speeds"]),
		show.SpeedModes(s.value["advertised speeds"]); can != nil && offers != nil {
		n.Wire.Supported, n.Wire.Advertised = can, offers
	}
	show.SetFEC(n, s.value["fec"], s.value["operational fec"], f.Proof(s.line["operational fec"]))
	if flow := strings.Fields(s.value["flow-control"]); len(flow) == 4 { // receive off send off
		c := parse.Effect(n)
		c.PauseRx, c.PauseTx = unit.Known(flow[1] == "on"), unit.Known(flow[3] == "on")
		c.Proves("pause", f.Proof(s.line["flow-control"]))
	}
	if m := onyxChange.FindStringSubmatch(s.value["last change in operational status"]); m != nil {
		if v, _ := strconv.ParseUint(m[1], 10, 64); v/2 > 0 {
			f.Counted(facts.LinkDowns, n.Name, v/2, unit.Opt[uint64]{}, s.line["last change in operational status"])
		}
	}
	onyxCounted(f, n.Name, s)
}

// onyxCounters are the counters of losses, each with the traffic in the same direction. "error packets" includes fcs
// and symbol errors.
var onyxCounters = []struct {
	what  facts.Counted
	names []string
	moved string
}{
	{facts.BadFrames, []string{"rx fcs errors", "rx symbol errors"}, "rx packets"},
	{facts.ReceiveDrops, []string{"rx discard packets"}, "rx packets"},
	{facts.PauseReceived, []string{"rx pause packets"}, "rx packets"},
	{facts.QueueDrops, []string{"tx discard packets", "tx hoq discard packets"}, "tx packets"},
	{facts.PauseSent, []string{"tx pause packets"}, "tx packets"},
}

func onyxCounted(f *parse.Builder, port string, s onyxSaid) {
	n := f.Interface(port)
	for key, name := range map[string]string{"rx packets": "rx_packets", "tx packets": "tx_packets"} {
		if v, ok := parse.Number(s.value[key]); ok {
			if n.Counters == nil {
				n.Counters = map[string]uint64{}
			}
			n.Counters[name] = v
		}
	}
	for _, c := range onyxCounters {
		sum, line := uint64(0), ""
		for _, name := range c.names {
			if v, ok := parse.Number(s.value[name]); ok && v > 0 {
				sum += v
				if line == "" {
					line = s.line[name]
				}
			}
		}
		if sum == 0 && c.what == facts.BadFrames { // a release without separate counters
			if v, ok := parse.Number(s.value["rx error packets"]); ok && s.value["rx fcs errors"] == "" {
				sum, line = v, s.line["rx error packets"]
			}
		}
		if sum > 0 {
			f.Counted(c.what, port, sum, parse.CounterOf(n, strings.Replace(c.moved, " ", "_", 1)), line)
		}
	}
}

var onyxStatusRow = lazyregexp.New(`^(mgmt\d+|Ethernet\d+/\d+(?:/\d+)?|Eth\d+/\d+(?:/\d+)?|Po\d+|Mpo\d+)\s+(Up|Down)\S*\s+(Enabled|Disabled)\s+(.*?)\s+(?:-|\S.*)?$`)

// readOnyxStatus reads "show interfaces status", text (napalm-onyx) or JSON (mellanox.onyx).
func readOnyxStatus(f *parse.Builder, _ []string, text []byte) error {
	found := 0
	if n, err := parse.JSONTree(text); err == nil {
		for _, p := range n.Members() {
			port := onyxPort(f, p.Key)
			state := p.Kid("Operational state")
			if port == nil || state.Str() == "" {
				continue
			}
			found++
			port.Carrier = unit.Known(strings.HasPrefix(state.Str(), "Up"))
			port.Proves("carrier", f.Proof(state.Line()))
			if port.Carrier.Or(false) && port.Kind == "" {
				parse.Learn(&port.Speed, parse.PortSpeed(p.Kid("Speed").Str()))
			}
		}
	} else {
		for line := range strings.Lines(string(text)) {
			m := onyxStatusRow.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
			if m == nil {
				continue
			}
			port := onyxPort(f, m[1])
			found++
			show.SetState(port, m[3] == "Enabled", m[2] == "Up", f.Proof(line))
			if m[2] == "Up" && port.Kind == "" {
				parse.Learn(&port.Speed, parse.PortSpeed(m[4]))
				port.Proves("speed", f.Proof(line))
			}
		}
	}
	if found == 0 {
		return parse.ToolError(text)
	}
	return nil
}

var (
	onyxLAG    = lazyregexp.New(`^\d+\s+(M?[Pp]o\d+)\((\w+)\)$`)
	onyxMember = lazyregexp.New(`(Eth\d+/\d+(?:/\d+)?)\((\w)\)`)
)

// readOnyxChannels reads "show interfaces port-channel summary" and "show interfaces mlag-port-channel summary", JSON:
// "1 Po22(D)" with its "Member Ports": "Eth1/7(D)". Snapshots: mellanox.onyx.
func readOnyxChannels(f *parse.Builder, _ []string, text []byte) error {
	n, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	all := n.Members()
	if m := n.Kid("MLAG Port-Channel Summary"); m != nil {
		all = m.Members()
	}
	found := 0
	for _, l := range all {
		m := onyxLAG.FindStringSubmatch(l.Key)
		if m == nil {
			continue
		}
		found++
		name := onyxPort(f, m[1]).Name
		show.KeepLAG(f, name, strings.ContainsAny(m[2], "UP"))
		ports := l.First("Member Ports", "Local Ports (D/P/S/I)")
		for _, p := range onyxMember.FindAllStringSubmatch(ports.Str(), -1) {
			show.KeepMember(f, show.LAGMember{LAG: name, Port: p[1], In: p[2] == "P", Why: p[2], Proof: f.Proof(ports.Line())})
		}
	}
	if found == 0 && n.Kid("Flags") == nil {
		return parse.ToolError(text)
	}
	return nil
}

// readOnyxMLAG reads "show mlag", JSON. Differences between the two switches are marked in the value:
// "00:00:5E:00:01:4E [Mismatched]". Snapshots: mellanox.onyx.
func readOnyxMLAG(f *parse.Builder, _ []string, text []byte) error {
	n, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	state := n.Kid("Operational status")
	if state == nil {
		return parse.ToolError(text)
	}
	m := &facts.MLAG{Enabled: unit.Known(n.Kid("Admin status").Str() == "Enabled"), State: state.Str(),
		Proof: f.Proof(state.Line())}
	if v, err := strconv.Atoi(n.Get("MLAG Ports Status Summary", "Active-partial").Str()); err == nil {
		m.Partial = unit.Known(v)
	}
	for _, v := range n.Kids {
		if strings.Contains(v.Str(), "[Mismatched]") {
			m.Mismatches = append(m.Mismatches, facts.Mismatch{What: v.Key, Proof: f.Proof(v.Line())})
		}
	}
	for _, ipl := range n.Kid("MLAG IPLs Summary").Members() {
		m.Peer = ipl.Kid("Operational State").Str()
	}
	f.Switch.MLAG = m
	return nil
}
