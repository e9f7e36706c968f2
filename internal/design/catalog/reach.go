package catalog

import (
	"fmt"

	"linerate/internal/base/unit"
)

// Copper is how far passive copper with plugs of one form carries its rate, in
// metres: from Doubtful on there are cables that work and cables that do not,
// beyond Far none is specified.
type Copper struct {
	Doubtful, Far float64
	Why           string
	// Claims are what single sources say, where they disagree; the least comes first.
	Claims []Claim
}

// Claim is one source's figure in metres.
type Claim struct {
	Metres float64
	Source SourceID
}

// dacReach: from IEEE 802.3ba (40GBASE-CR4), 802.3by (25GBASE-CR, 5 m with
// RS-FEC, 3 m without) and 802.3bj (100GBASE-CR4); SFP+ is the practice of the
// trade. All by recall, except where a claim names its source.
var dacReach = map[Cage]Copper{
	"sfp+": {5, 7, "passive SFP+ copper is sold up to 7 m; longer ones are active, or fibre",
		[]Claim{{7, "recall"}, {10, "mesh-10g"}, {15, "gist_watts_a"}}},
	"qsfp+":  {5, 7, "40GBASE-CR4 is specified up to 7 m", nil},
	"sfp28":  {3, 5, "25GBASE-CR reaches 5 m with RS-FEC at both ends, 3 m without", nil},
	"qsfp28": {3, 5, "100GBASE-CR4 reaches 5 m with RS-FEC and is mostly sold up to 3 m", nil},
}

// CopperReach says whether a passive copper cable of that length in metres is
// within what its plug was specified for: "ok", "doubtful" or "far", and why.
// Of plugs that are not in the table it says "unknown".
func CopperReach(plug Cage, metres float64) (verdict, why string) {
	r, ok := dacReach[plug]
	switch {
	case !ok:
		return "unknown", fmt.Sprintf("linerate has no limit for copper with %s plugs", plug)
	case metres > r.Far:
		return "far", r.Why
	case metres > r.Doubtful:
		return "doubtful", r.Why
	}
	return "ok", ""
}

// CopperAt is how far passive copper reaches when its plug runs at a rate, which
// may be below its own: an SFP28 cable at 10G reaches as far as an SFP+ one.
// False: linerate has no limit for it.
func CopperAt(plug Cage, rate unit.BitRate) (Copper, bool) {
	for _, slower := range []Cage{"sfp+", "sfp28", "qsfp+", "qsfp28"} {
		if cages[slower].family == cages[plug].family && rate > 0 && rate <= slower.Rate() && slower.Rate() <= plug.Rate() {
			plug = slower
			break
		}
	}
	c, ok := dacReach[plug]
	return c, ok
}
