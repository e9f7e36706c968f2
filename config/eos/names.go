package eos

import (
	"fmt"
	"strings"

	"linerate/config/dcb"
	"linerate/plan"
)

// laned says up to which port a model's ports have lanes in their names: Ethernet1/1 of a port with four, Ethernet25 of one without.
// The names are the aliases in port_config.ini of the models' platforms in sonic-buildimage.
var laned = map[string]struct{ to, ports int }{
	"arista-7050qx-32": {24, 32}, // x86_64-arista_7050_qx32/Arista-7050-QX32
	"arista-7060cx-32": {32, 32}, // x86_64-arista_7060_cx32s/Arista-7060CX-32S-C32
}

// names returns EOS's names of ports, or why one is not known.
func names(s *plan.Switch, ports []dcb.Port) (map[string]string, error) {
	out := map[string]string{}
	for _, x := range ports {
		name, err := nameOf(s, x)
		if err != nil {
			return nil, err
		}
		out[x.ID] = name
	}
	return out, nil
}

func nameOf(s *plan.Switch, x dcb.Port) (string, error) {
	if s.Part == nil {
		return "", fmt.Errorf("switch %s: EOS names ports by the model (Ethernet1, Ethernet1/1), and the file does not say the model; write part: (linerate parts switch lists them)", s.Name)
	}
	name := ""
	if port, ok, known := s.Part.Port(x.Index); ok && known {
		name = port.Name
	}
	if l, ok := laned[s.Part.ID]; ok && name == "" && x.Index >= 1 && x.Index <= l.ports {
		name = fmt.Sprintf("Ethernet%d", x.Index)
		if x.Index <= l.to {
			name += "/1"
		}
	}
	if name == "" {
		return "", fmt.Errorf("switch %s: how EOS names port %d of %s is not known here; configure it by hand, what it has to do stands in the plan", s.Name, x.Index, s.Part.Name)
	}
	if x.Lane > 0 {
		base, ok := strings.CutSuffix(name, "/1")
		if !ok || x.Lane > 4 {
			return "", fmt.Errorf("switch %s: port %s: %s has no lane %d", s.Name, x.ID, name, x.Lane)
		}
		name = fmt.Sprintf("%s/%d", base, x.Lane)
	}
	return name, nil
}
