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

// sonicPort returns the interface of a name, if it is one of SONiC's.
func sonicPort(f *parse.Builder, name string) *facts.Interface {
	if !sonicPorts.MatchString(name) {
		return nil
	}
	n := f.Interface(name)
	if strings.HasPrefix(name, "PortChannel") {
		n.Kind = "bond"
	}
	return n
}

var sonicPorts = lazyregexp.New(`^(?:Ethernet|PortChannel)[\d-][\w-]*$|^Ethernet-[A-Za-z]+\d+$`)

// readSONiCStatus reads "show interfaces status": releases added FEC, Vlan, Type and Asym PFC, and shifted the rest.
// Snapshots: sonic-buildimage 9105, sonic-utilities 764, the command reference. The speed of a port without a link is
// the configured one.
func readSONiCStatus(f *parse.Builder, _ []string, text []byte) error {
	rows := 0
	for _, t := range parse.Tables(text, "Interface") {
		for _, r := range t.Rows {
			n := sonicPort(f, r.Get("INTERFACE"))
			if n == nil || r.Get("OPER") == "" {
				continue
			}
			rows++
			p := f.Proof(r.Line)
			show.SetState(n, r.Get("ADMIN") == "up", r.Get("OPER") == "up", p)
			if n.Carrier.Or(false) && n.Kind == "" {
				parse.Learn(&n.Speed, parse.PortSpeed(r.Get("SPEED")))
				n.Proves("speed", p)
			}
			if v, err := strconv.Atoi(r.Get("MTU")); err == nil && v > 0 {
				n.MTU = v
				n.Proves("mtu", p)
			}
			if fec := r.Get("FEC"); fec != "" && fec != "N/A" { // configured; in effect if the port has a link
				if n.Carrier.Or(false) {
					show.SetFEC(n, fec, fec, p)
				} else {
					show.SetFEC(n, fec, "", p)
				}
			}
			if lag := r.Get("VLAN"); strings.HasPrefix(lag, "PortChannel") {
				n.Master = lag
			}
		}
	}
	if rows == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// sonicCounters are the columns of "show interfaces counters" that count losses. RX_OVR is missing, because it counts
// intact frames above 1518 bytes.
var sonicCounters = []struct {
	column, moved string
	what          facts.Counted
}{
	{"RX_ERR", "RX_OK", facts.BadFrames}, {"RX_DRP", "RX_OK", facts.ReceiveDrops}, {"TX_ERR", "TX_OK", facts.SendDrops},
	{"TX_DRP", "TX_OK", facts.QueueDrops},
}

// readSONiCCounters reads "show interfaces counters", which is also portstat. Snapshots: sonic-buildimage 5655 (all
// N/A), 6834, 9193 (one row without a ruler); sonic-utilities 130 (2017), 676.
func readSONiCCounters(f *parse.Builder, _ []string, text []byte) error {
	rows := 0
	for _, t := range parse.Tables(text, "IFACE") {
		for _, r := range t.Rows {
			n := sonicPort(f, r.Get("IFACE"))
			if n == nil {
				continue
			}
			rows++
			if s := r.Get("STATE"); s == "U" || s == "UP" || s == "D" || s == "DOWN" {
				n.Carrier = unit.Known(s[0] == 'U')
			}
			for column, name := range map[string]string{"RX_OK": "rx_packets", "TX_OK": "tx_packets"} {
				if v, ok := parse.Number(r.Get(column)); ok {
					if n.Counters == nil {
						n.Counters = map[string]uint64{}
					}
					n.Counters[name] = v
				}
			}
			for _, c := range sonicCounters {
				if v, ok := parse.Number(r.Get(c.column)); ok && v > 0 {
					of := unit.Unknown[uint64]("the table does not have it")
					if moved, ok := parse.Number(r.Get(c.moved)); ok {
						of = unit.Known(moved)
					}
					f.Counted(c.what, n.Name, v, of, r.Line)
				}
			}
		}
	}
	if rows == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// readSONiCFEC reads "show interfaces counters fec-stats". Errors of a port without a link are not a fault. Snapshot:
// sonic-utilities 2027.
func readSONiCFEC(f *parse.Builder, _ []string, text []byte) error {
	rows := 0
	for _, t := range parse.Tables(text, "IFACE") {
		for _, r := range t.Rows {
			n := sonicPort(f, r.Get("IFACE"))
			if n == nil {
				continue
			}
			rows++
			if v, ok := parse.Number(r.Get("FEC_UNCORR")); ok && v > 0 && strings.HasPrefix(r.Get("STATE"), "U") {
				f.Counted(facts.BadBlocks, n.Name, v, unit.Unknown[uint64]("the table has no count of all blocks"), r.Line)
			}
		}
	}
	if rows == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// readSONiCFlap reads "show interfaces flap": how often each port lost its link. Snapshot: the command reference.
func readSONiCFlap(f *parse.Builder, _ []string, text []byte) error {
	rows := 0
	for _, t := range parse.Tables(text, "Interface") {
		for _, r := range t.Rows {
			n := sonicPort(f, r.Get("INTERFACE"))
			v, ok := parse.Number(r.Get("FLAP COUNT"))
			if n == nil || !ok {
				continue
			}
			rows++
			if oper := r.Get("OPER"); oper != "" {
				n.Carrier = unit.Known(strings.EqualFold(oper, "up"))
			}
			if v > 0 {
				f.Counted(facts.LinkDowns, n.Name, v, unit.Opt[uint64]{}, r.Line)
			}
		}
	}
	if rows == 0 {
		return parse.ToolError(text)
	}
	return nil
}

var sonicMember = lazyregexp.New(`(Ethernet\d+)\(([SD])[^)]*\)`)

// readSONiCChannels reads "show interfaces portchannel": LACP(A)(Up), its members selected (S) or not (D). Snapshot:
// the command reference.
func readSONiCChannels(f *parse.Builder, _ []string, text []byte) error {
	rows := 0
	for _, t := range parse.Tables(text, "No.") {
		for _, r := range t.Rows {
			lag := r.Get("TEAM DEV")
			if sonicPort(f, lag) == nil {
				continue
			}
			rows++
			show.KeepLAG(f, lag, strings.Contains(r.Get("PROTOCOL"), "(Up)"))
			for _, m := range sonicMember.FindAllStringSubmatch(r.Get("PORTS"), -1) {
				show.KeepMember(f, show.LAGMember{LAG: lag, Port: m[1], In: m[2] == "S", Why: "deselected", Proof: f.Proof(r.Line)})
			}
		}
	}
	if rows == 0 && len(parse.Tables(text, "No.")) == 0 {
		return parse.ToolError(text)
	}
	return nil
}
