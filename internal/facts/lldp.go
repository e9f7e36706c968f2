package facts

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// LLDPNeighbour is who was heard at the other end of an interface's cable, by LLDP (IEEE 802.1AB), or by a protocol of its kind
// where Via says so. What it did not send, or the tool does not print, is empty.
type LLDPNeighbour struct {
	Chassis     LLDPID `json:"chassis"`
	Port        LLDPID `json:"port"`
	System      string `json:"system,omitempty"` // its name
	Description string `json:"description,omitempty"`
	// PortDescription is what the neighbour says of its port in words. Linux' lldpd sends the name of the interface there, switches
	// what somebody wrote.
	PortDescription string                  `json:"port_description,omitempty"`
	Management      []netip.Addr            `json:"management,omitempty"` // addresses
	Age             unit.Opt[time.Duration] `json:"age"`                  // since it was first heard, as lldpd has it; since the last time, as switches have it
	TTL             unit.Opt[time.Duration] `json:"ttl"`                  // how long it counts without being heard again
	Via             string                  `json:"via,omitempty"`        // LLDP, CDPv2; empty: the tool does not say
	Proof           `json:"-"`
}

// LLDPID is the identity of a chassis or port with its kind.
type LLDPID struct {
	Kind  LLDPKind `json:"kind,omitempty"`
	Value string   `json:"value,omitempty"` // of a MAC address: small letters, with colons
}

// LLDPKind is the subtype of an identity; empty: the tool does not print it, and the value does not tell.
type LLDPKind string

// The kinds of IEEE 802.1AB, tables 8-2 and 8-3, by lldpd's words.
const (
	LLDPMAC       LLDPKind = "mac"
	LLDPInterface LLDPKind = "ifname"
	LLDPAlias     LLDPKind = "ifalias"
	LLDPLocal     LLDPKind = "local" // a name or number that only the neighbour itself understands
	LLDPAddress   LLDPKind = "ip"
	LLDPComponent LLDPKind = "component"
)

var (
	lldpMAC    = lazyregexp.New(`^(?i:[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})$`)
	lldpPeriod = lazyregexp.New(`^(?:(\d{1,6}) days?, )?(\d{1,4}):(\d\d):(\d\d)$`)
)

// lldpID is an identity of a tool's word for its kind and the value. Where there is no word, a MAC address tells by its form.
func lldpID(kind, value string) LLDPID {
	id := LLDPID{Value: oneLine(strings.Trim(strings.TrimSpace(value), `"`))}
	switch strings.ToLower(strings.ReplaceAll(kind, " ", "")) {
	case "mac", "macaddress":
		id.Kind = LLDPMAC
	case "ifname", "interfacename":
		id.Kind = LLDPInterface
	case "ifalias", "interfacealias":
		id.Kind = LLDPAlias
	case "local", "locallyassigned":
		id.Kind = LLDPLocal
	case "ip", "ipv4", "ipv6", "networkaddress":
		id.Kind = LLDPAddress
	case "component", "chassis", "chassiscomponent", "portcomponent", "portcomp.":
		id.Kind = LLDPComponent
	case "":
		if lldpMAC.MatchString(id.Value) {
			id.Kind = LLDPMAC
		}
	}
	if id.Kind == LLDPMAC {
		id.Value = colonMAC(id.Value)
	}
	return id
}

// colonMAC writes a MAC address with colons: of 2cc2.6081.eaf9 and 2C-C2-60-81-EA-F9. Another text stays.
func colonMAC(s string) string {
	if !lldpMAC.MatchString(s) {
		return s
	}
	digits := strings.ToLower(strings.NewReplacer(":", "", "-", "", ".", "").Replace(s))
	var b strings.Builder
	for i := 0; i < len(digits); i += 2 {
		if i > 0 {
			b.WriteByte(':')
		}
		b.WriteString(digits[i : i+2])
	}
	return b.String()
}

// manage adds a management address; what is none, as a MAC address, is left out.
func (n *LLDPNeighbour) manage(s string) {
	if a, err := netip.ParseAddr(strings.TrimSpace(s)); err == nil && !slices.Contains(n.Management, a) {
		n.Management = append(n.Management, a)
	}
}

// lasts reads the seconds of a TTL.
func (n *LLDPNeighbour) lasts(seconds string) {
	if s, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(seconds), " seconds")); err == nil && s >= 0 && s <= 65535 {
		n.TTL = known(time.Duration(s) * time.Second)
	}
}

// aged reads lldpd's "35 days, 08:24:00".
func (n *LLDPNeighbour) aged(s string) {
	m := lldpPeriod.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return
	}
	var v [4]int
	for i := range v {
		v[i], _ = strconv.Atoi(m[i+1])
	}
	n.Age = known(time.Duration(v[0])*24*time.Hour + time.Duration(v[1])*time.Hour + time.Duration(v[2])*time.Minute + time.Duration(v[3])*time.Second)
}

// heard adds a neighbour to an interface. Of two outputs about one neighbour the one that says more counts.
func (f *Facts) heard(name string, n LLDPNeighbour) {
	nic := f.nic(name)
	for i := range nic.LLDP {
		o := &nic.LLDP[i]
		same := o.Chassis == n.Chassis && o.Port == n.Port
		if bare := o.Chassis.Value == "" || n.Chassis.Value == ""; bare { // a table has the name alone
			same = o.System != "" && o.System == n.System && o.Port.Value == n.Port.Value
		}
		if same {
			if o.Chassis.Value == "" {
				*o = n
			}
			return
		}
	}
	nic.LLDP = append(nic.LLDP, n)
}

// listens notes that an interface would have a neighbour if one spoke.
func (f *Facts) listens(name string) {
	if nic := f.nic(name); nic.LLDP == nil {
		nic.LLDP = []LLDPNeighbour{}
	}
}

// missingLLDP notes why nobody was asked for neighbours.
func missingLLDP(f *Facts, _ []string, why string) { f.LLDPWhy = why }
