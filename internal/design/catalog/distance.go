package catalog

import (
	"linerate/internal/base/unit"
)

// Copper is the range of passive copper with plugs of one form factor at its rate, in metres: from Doubtful on some
// cables work and others do not; beyond Far none is specified.
type Copper struct {
	Doubtful, Far float64
	Why           string
	// Claims are the figures of single sources that disagree, the lowest first.
	Claims []Claim
}

// Claim is one source's figure in metres.
type Claim struct {
	Metres float64
	Source SourceID
}

// dacDistance comes from IEEE 802.3ba (40GBASE-CR4), 802.3by (25GBASE-CR, 5 m with RS-FEC, 3 m without) and 802.3bj
// (100GBASE-CR4); SFP+ has no standard and follows products. All by recall, except claims with a source.
var dacDistance = map[Cage]Copper{
	"sfp+": {5, 7, "passive SFP+ copper is sold up to 7 m; longer ones are active, or fibre",
		[]Claim{{7, "recall"}, {10, "mesh-10g"}, {15, "gist_watts_a"}}},
	"qsfp+":  {5, 7, "40GBASE-CR4 is specified up to 7 m", nil},
	"sfp28":  {3, 5, "25GBASE-CR reaches 5 m with RS-FEC at both ends, 3 m without", nil},
	"qsfp28": {3, 5, "100GBASE-CR4 reaches 5 m with RS-FEC and is mostly sold up to 3 m", nil},
}

// CopperAt returns the range of passive copper whose plug runs at a rate, which may be below its own: an SFP28 cable at
// 10G reaches as far as an SFP+ one. False: linerate has no limit for it.
func CopperAt(plug Cage, rate unit.BitRate) (Copper, bool) {
	for _, slower := range []Cage{"sfp+", "sfp28", "qsfp+", "qsfp28"} {
		if cages[slower].family == cages[plug].family && rate > 0 && rate <= slower.Rate() && slower.Rate() <= plug.Rate() {
			plug = slower
			break
		}
	}
	c, ok := dacDistance[plug]
	return c, ok
}
