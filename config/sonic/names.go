package sonic

import (
	"fmt"

	"linerate/config/dcb"
	"linerate/plan"
)

// layout says how SONiC names the ports of a model (port_config.ini of its platform in sonic-buildimage): Ethernet0 for port 1, and
// so many more for each next one; a lane of a breakout is one more than the lane before.
type layout struct{ step, ports int }

// layouts are the models whose port_config.ini was read, by the ids of the catalogue.
var layouts = map[string]layout{
	"sn2010":           {4, 22}, // x86_64-mlnx_msn2010-r0/ACS-MSN2010
	"sn2100":           {4, 16}, // x86_64-mlnx_msn2100-r0/ACS-MSN2100
	"sn2700":           {4, 32}, // x86_64-mlnx_msn2700-r0/ACS-MSN2700
	"arista-7050qx-32": {4, 32}, // x86_64-arista_7050_qx32/Arista-7050-QX32
	"arista-7060cx-32": {4, 32}, // x86_64-arista_7060_cx32s/Arista-7060CX-32S-C32
	"dell-z9100-on":    {4, 32}, // x86_64-dell_z9100_c2538-r0/Force10-Z9100-C32
}

// layoutOf returns how a switch's ports are named, or why that is not known.
func layoutOf(s *plan.Switch, ports []dcb.Port) (layout, error) {
	if s.Part == nil {
		return layout{}, fmt.Errorf("switch %s: SONiC names ports by the model (Ethernet0, Ethernet4 ..), and the file does not say the model; write part: (linerate parts switch lists them)", s.Name)
	}
	l, ok := layouts[s.Part.ID]
	if !ok {
		return l, fmt.Errorf("switch %s: SONiC names the ports of each model in its port_config.ini, and that of %s was not read; configure it by hand, what it has to do stands in the plan", s.Name, s.Part.Name)
	}
	for _, x := range ports {
		if x.Index < 1 || x.Index > l.ports || x.Lane > l.step {
			return l, fmt.Errorf("switch %s: port %s: SONiC has %d ports of at most %d lanes on %s", s.Name, x.ID, l.ports, l.step, s.Part.Name)
		}
	}
	return l, nil
}

func (l layout) name(x dcb.Port) string {
	n := l.step * (x.Index - 1)
	if x.Lane > 0 {
		n += x.Lane - 1
	}
	return fmt.Sprintf("Ethernet%d", n)
}
