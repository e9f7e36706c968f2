package facts

import (
	"strings"

	"linerate/internal/base/lazyregexp"
)

var (
	eosSpeeds = lazyregexp.New(`^\d+(?:/\d+)+$`)
	eosBaseT  = lazyregexp.New(`^(\d+(?:\.\d)?G)BASE-T$`)
)

// speedModes are modes of the rates of a list, as switches write it: "1G 10G 25G 100G", "10/100/1000". Their names are the rates.
func speedModes(list string) (out []Mode) {
	for _, w := range strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == '/' || r == ',' }) {
		if v, ok := portSpeed(w).Get(); ok {
			out = append(out, Mode{Name: w, Speed: v})
		}
	}
	return out
}

// eosModes are what a port can and offers by its type: 10/100/1000, 10GBASE-T. nil: that does not say.
func eosModes(kind string) []Mode {
	if eosSpeeds.MatchString(kind) {
		return speedModes(kind)
	}
	if m := eosBaseT.FindStringSubmatch(kind); m != nil {
		return speedModes(m[1])
	}
	return nil
}

// corrected keeps the FEC of a port, as it is set and as it is in effect; empty: not known.
func (n *Interface) corrected(set, inEffect string, p Proof) {
	if set == "" && inEffect == "" {
		return
	}
	if n.Wire.FEC == nil {
		n.Wire.FEC = &FEC{}
	}
	if set != "" {
		n.Wire.FEC.Configured = []string{fecName(set)}
	}
	if inEffect != "" {
		n.Wire.FEC.Active = []string{fecName(inEffect)}
	}
	n.proves("fec", p)
}
