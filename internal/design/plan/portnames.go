package plan

import (
	"fmt"
	"linerate/internal/record"
	"strings"
)

// sonicLayouts say how SONiC names the ports of a model (port_config.ini of its platform in sonic-buildimage): Ethernet0 for port 1, and so
// many more for each next one; a lane of a breakout is one more than the lane before. By the ids of the catalogue.
var sonicLayouts = map[string]struct{ step, ports int }{
	"sn2010":           {4, 22}, // x86_64-mlnx_msn2010-r0/ACS-MSN2010
	"sn2100":           {4, 16}, // x86_64-mlnx_msn2100-r0/ACS-MSN2100
	"sn2700":           {4, 32}, // x86_64-mlnx_msn2700-r0/ACS-MSN2700
	"arista-7050qx-32": {4, 32}, // x86_64-arista_7050_qx32/Arista-7050-QX32
	"arista-7060cx-32": {4, 32}, // x86_64-arista_7060_cx32s/Arista-7060CX-32S-C32
	"dell-z9100-on":    {4, 32}, // x86_64-dell_z9100_c2538-r0/Force10-Z9100-C32
}

// SONiCPort is SONiC's name of a port; empty if the model's layout is not known or has no such port.
func (s *Switch) SONiCPort(x SwitchPort) string {
	if s.Part == nil {
		return ""
	}
	l, ok := sonicLayouts[s.Part.ID]
	if !ok || x.Index < 1 || x.Index > l.ports || x.Lane > l.step {
		return ""
	}
	return fmt.Sprintf("Ethernet%d", l.step*(x.Index-1)+max(x.Lane-1, 0))
}

// eosLaned say up to which port a model's ports have lanes in their names: Ethernet1/1 of a port with four, Ethernet25 of one without. The
// names are the aliases in port_config.ini of the models' platforms in sonic-buildimage.
var eosLaned = map[string]struct{ to, ports int }{
	"arista-7050qx-32": {24, 32}, // x86_64-arista_7050_qx32/Arista-7050-QX32
	"arista-7060cx-32": {32, 32}, // x86_64-arista_7060_cx32s/Arista-7060CX-32S-C32
}

// eosBase is EOS's name of a whole port; empty if it is not known.
func (s *Switch) eosBase(x SwitchPort) string {
	if s.Part == nil {
		return ""
	}
	if port, ok, known := s.Part.Port(x.Index); ok && known && port.Name != "" {
		return port.Name
	}
	l, ok := eosLaned[s.Part.ID]
	switch {
	case !ok || x.Index < 1 || x.Index > l.ports:
		return ""
	case x.Index <= l.to:
		return fmt.Sprintf("Ethernet%d/1", x.Index)
	}
	return fmt.Sprintf("Ethernet%d", x.Index)
}

// EOSPort is EOS's name of a port or of a lane of it; empty if it is not known, or there is no such lane.
func (s *Switch) EOSPort(x SwitchPort) string {
	name := s.eosBase(x)
	if x.Lane == 0 || name == "" {
		return name
	}
	base, ok := strings.CutSuffix(name, "/1")
	if !ok || x.Lane > 4 {
		return ""
	}
	return fmt.Sprintf("%s/%d", base, x.Lane)
}

// RouterOSPort is RouterOS's name of a port, and whether the catalogue has it; of a port that shows as several interfaces the
// first one's.
func (s *Switch) RouterOSPort(index int) (name string, known bool) {
	if s.Part == nil {
		return fmt.Sprintf("ether%d", index), false
	}
	port, _, known := s.Part.Port(index)
	if !known {
		return fmt.Sprintf("ether%d", index), false
	}
	if port.Name != "" {
		return port.Name, true
	}
	// RouterOS counts each sort of cage from one.
	n := 0
	for _, o := range s.Part.Ports[:index] {
		if o.Cage == port.Cage {
			n++
		}
	}
	switch port.Cage {
	case "sfp+":
		return fmt.Sprintf("sfp-sfpplus%d", n), false
	case "sfp28":
		return fmt.Sprintf("sfp28-%d", n), false
	case "qsfp+":
		return fmt.Sprintf("qsfpplus%d-1", n), false
	case "qsfp28":
		return fmt.Sprintf("qsfp28-%d-1", n), false
	case "qsfp56", "qsfp56-dd", "qsfp-dd":
		return fmt.Sprintf("%s-%d-1", port.Cage, n), false
	}
	return fmt.Sprintf("ether%d", n), false
}

// OnyxPort is Onyx's name of a port or of a lane of it, without the word before it.
func OnyxPort(x SwitchPort) string {
	if x.Lane > 0 {
		return fmt.Sprintf("1/%d/%d", x.Index, x.Lane)
	}
	return fmt.Sprintf("1/%d", x.Index)
}

// CumulusPort is the name of a port or of a lane of it on Cumulus Linux.
func CumulusPort(x SwitchPort) string {
	if x.Lane > 0 {
		return fmt.Sprintf("swp%ds%d", x.Index, x.Lane-1)
	}
	return fmt.Sprintf("swp%d", x.Index)
}

// PortName is the name that the switch's system gives a port; empty if it is not known.
func (s *Switch) PortName(x SwitchPort) string {
	switch s.System() {
	case "routeros":
		name, _ := s.RouterOSPort(x.Index)
		if base, ok := strings.CutSuffix(name, "-1"); ok && x.Lane > 1 && strings.HasPrefix(name, "qsfp") {
			return fmt.Sprintf("%s-%d", base, x.Lane)
		}
		return name
	case "onyx", "mlnx-os":
		return "Eth" + OnyxPort(x)
	case "cumulus":
		return CumulusPort(x)
	case "sonic":
		return s.SONiCPort(x)
	case "eos":
		return s.EOSPort(x)
	}
	return ""
}

// portNames notes ports whose name the switch's system does not know, or that cannot be written.
func (l *lacking) portNames(s *Switch, ports []SwitchPort) {
	for _, x := range ports {
		if s.Part == nil || s.System() != "routeros" && s.System() != "eos" {
			break // the others have names of their own
		}
		if port, ok, known := s.Part.Port(x.Index); ok && known && port.Name != "" && !BareWord(port.Name) {
			l.add(record.Error, "", "write it with letters, digits, - and / into the part's entry", "port %s: %q cannot be written into a command as the name of an interface", x.ID, port.Name)
			return
		}
	}
	const byModel = "%s names ports by the model (%s), and the file does not say the model"
	const write = "write part: (linerate parts switch lists them)"
	const byHand = "configure it by hand, what it has to do stands in the plan"
	switch s.System() {
	case "sonic":
		if s.Part == nil {
			l.add(record.Warning, "", write, byModel, "SONiC", "Ethernet0, Ethernet4 ..").leftOut()
			return
		}
		layout, ok := sonicLayouts[s.Part.ID]
		if !ok {
			l.add(record.Warning, "", byHand, "SONiC names the ports of each model in its port_config.ini, and that of %s was not read", s.Part.Name).leftOut()
			return
		}
		for _, x := range ports {
			if s.SONiCPort(x) == "" {
				l.add(record.Error, "", "take another port", "port %s: SONiC has %d ports of at most %d lanes on %s", x.ID, layout.ports, layout.step, s.Part.Name)
				return
			}
		}
	case "eos":
		if s.Part == nil {
			l.add(record.Warning, "", write, byModel, "EOS", "Ethernet1, Ethernet1/1").leftOut()
			return
		}
		for _, x := range ports {
			switch {
			case s.eosBase(x) == "":
				l.add(record.Warning, "", byHand, "how EOS names port %d of %s is not known here", x.Index, s.Part.Name).leftOut()
				return
			case s.EOSPort(x) == "":
				l.add(record.Error, "", "take another port", "port %s: %s has no lane %d", x.ID, s.eosBase(x), x.Lane)
				return
			}
		}
	}
}
