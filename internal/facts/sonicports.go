package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// sonicPort returns the interface of that name, if it is one of SONiC's.
func (f *Facts) sonicPort(name string) *Interface {
	if !sonicPorts.MatchString(name) {
		return nil
	}
	n := f.nic(name)
	if strings.HasPrefix(name, "PortChannel") {
		n.Kind = "bond"
	}
	return n
}

var sonicPorts = lazyregexp.New(`^(?:Ethernet|PortChannel)[\d-][\w-]*$|^Ethernet-[A-Za-z]+\d+$`)

// readSONiCStatus reads "show interfaces status": releases added FEC, Vlan, Type and Asym PFC, and shifted the rest.
// Captures: sonic-buildimage 9105, sonic-utilities 764, the command reference. The speed of a port without a link is what is set.
func readSONiCStatus(f *Facts, _ []string, text []byte) error {
	rows := 0
	for _, t := range tables(text, "Interface") {
		for _, r := range t.rows {
			n := f.sonicPort(r.get("INTERFACE"))
			if n == nil || r.get("OPER") == "" {
				continue
			}
			rows++
			p := f.proof(r.line)
			n.eosState(r.get("ADMIN") == "up", r.get("OPER") == "up", p)
			if n.Carrier.Or(false) && n.Kind == "" {
				learn(&n.Speed, portSpeed(r.get("SPEED")))
				n.proves("speed", p)
			}
			if v, err := strconv.Atoi(r.get("MTU")); err == nil && v > 0 {
				n.MTU = v
				n.proves("mtu", p)
			}
			if fec := r.get("FEC"); fec != "" && fec != "N/A" { // what is set; of a port with a link it is in effect
				if n.Carrier.Or(false) {
					n.corrected(fec, fec, p)
				} else {
					n.corrected(fec, "", p)
				}
			}
			if lag := r.get("VLAN"); strings.HasPrefix(lag, "PortChannel") {
				n.Master = lag
			}
		}
	}
	if rows == 0 {
		return toolError(text)
	}
	return nil
}

// sonicCounters are the columns of "show interfaces counters" that count losses. RX_OVR counts frames above 1518 bytes that came whole, so
// that it is none.
var sonicCounters = []struct {
	column, moved string
	what          Counted
}{
	{"RX_ERR", "RX_OK", BadFrames}, {"RX_DRP", "RX_OK", ReceiveDrops}, {"TX_ERR", "TX_OK", SendDrops}, {"TX_DRP", "TX_OK", QueueDrops},
}

// readSONiCCounters reads "show interfaces counters", which is also portstat. Captures: sonic-buildimage 5655 (all N/A), 6834, 9193
// (one row without a ruler); sonic-utilities 130 (2017), 676.
func readSONiCCounters(f *Facts, _ []string, text []byte) error {
	rows := 0
	for _, t := range tables(text, "IFACE") {
		for _, r := range t.rows {
			n := f.sonicPort(r.get("IFACE"))
			if n == nil {
				continue
			}
			rows++
			if s := r.get("STATE"); s == "U" || s == "UP" || s == "D" || s == "DOWN" {
				n.Carrier = known(s[0] == 'U')
			}
			for column, name := range map[string]string{"RX_OK": "rx_packets", "TX_OK": "tx_packets"} {
				if v, ok := number(r.get(column)); ok {
					if n.Counters == nil {
						n.Counters = map[string]uint64{}
					}
					n.Counters[name] = v
				}
			}
			for _, c := range sonicCounters {
				if v, ok := number(r.get(c.column)); ok && v > 0 {
					of := unit.Unknown[uint64]("the table does not have it")
					if moved, ok := number(r.get(c.moved)); ok {
						of = known(moved)
					}
					f.counted(c.what, n.Name, v, of, r.line)
				}
			}
		}
	}
	if rows == 0 {
		return toolError(text)
	}
	return nil
}

// readSONiCFEC reads "show interfaces counters fec-stats". What a port without a link counted is no fault. Capture: sonic-utilities 2027.
func readSONiCFEC(f *Facts, _ []string, text []byte) error {
	rows := 0
	for _, t := range tables(text, "IFACE") {
		for _, r := range t.rows {
			n := f.sonicPort(r.get("IFACE"))
			if n == nil {
				continue
			}
			rows++
			if v, ok := number(r.get("FEC_UNCORR")); ok && v > 0 && strings.HasPrefix(r.get("STATE"), "U") {
				f.counted(BadBlocks, n.Name, v, unit.Unknown[uint64]("the table has no count of all blocks"), r.line)
			}
		}
	}
	if rows == 0 {
		return toolError(text)
	}
	return nil
}

// readSONiCFlap reads "show interfaces flap": how often each port lost its link. Capture: the command reference.
func readSONiCFlap(f *Facts, _ []string, text []byte) error {
	rows := 0
	for _, t := range tables(text, "Interface") {
		for _, r := range t.rows {
			n := f.sonicPort(r.get("INTERFACE"))
			v, ok := number(r.get("FLAP COUNT"))
			if n == nil || !ok {
				continue
			}
			rows++
			if oper := r.get("OPER"); oper != "" {
				n.Carrier = known(strings.EqualFold(oper, "up"))
			}
			if v > 0 {
				f.counted(LinkDowns, n.Name, v, unit.Opt[uint64]{}, r.line)
			}
		}
	}
	if rows == 0 {
		return toolError(text)
	}
	return nil
}

var sonicMember = lazyregexp.New(`(Ethernet\d+)\(([SD])[^)]*\)`)

// readSONiCChannels reads "show interfaces portchannel": LACP(A)(Up), its members selected (S) or not (D). Capture: the command reference.
func readSONiCChannels(f *Facts, _ []string, text []byte) error {
	rows := 0
	for _, t := range tables(text, "No.") {
		for _, r := range t.rows {
			lag := r.get("TEAM DEV")
			if f.sonicPort(lag) == nil {
				continue
			}
			rows++
			f.lag(lag, strings.Contains(r.get("PROTOCOL"), "(Up)"))
			for _, m := range sonicMember.FindAllStringSubmatch(r.get("PORTS"), -1) {
				f.member(lagMember{lag, m[1], m[2] == "S", "deselected", f.proof(r.line)})
			}
		}
	}
	if rows == 0 && len(tables(text, "No.")) == 0 {
		return toolError(text)
	}
	return nil
}
