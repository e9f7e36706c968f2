package show

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	eosSpeeds = lazyregexp.New(`^\d+(?:/\d+)+$`)
	eosBaseT  = lazyregexp.New(`^(\d+(?:\.\d)?G)BASE-T$`)
)

// SpeedModes returns the modes of a list of rates in switches' forms: "1G 10G 25G 100G", "10/100/1000". Their names are
// the rates.
func SpeedModes(list string) (out []facts.Mode) {
	for _, w := range strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == '/' || r == ',' }) {
		if v, ok := parse.PortSpeed(w).Get(); ok {
			out = append(out, facts.Mode{Name: w, Speed: v})
		}
	}
	return out
}

// ModesOfType returns the modes of a port by its type: 10/100/1000, 10GBASE-T. nil: unknown.
func ModesOfType(kind string) []facts.Mode {
	if eosSpeeds.MatchString(kind) {
		return SpeedModes(kind)
	}
	if m := eosBaseT.FindStringSubmatch(kind); m != nil {
		return SpeedModes(m[1])
	}
	return nil
}

// SetFEC stores the FEC of a port, configured and in effect; empty: unknown.
func SetFEC(n *facts.Interface, set, inEffect string, p facts.Proof) {
	if set == "" && inEffect == "" {
		return
	}
	if n.Wire.FEC == nil {
		n.Wire.FEC = &facts.FEC{}
	}
	if set != "" {
		n.Wire.FEC.Configured = []string{facts.FECName(set)}
	}
	if inEffect != "" {
		n.Wire.FEC.Active = []string{facts.FECName(inEffect)}
	}
	n.Proves("fec", p)
}
