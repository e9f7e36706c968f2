package parts

import "fmt"

// dacReach holds how long passive copper may be, in metres: from doubtful on
// cables exist that work and cables that do not, beyond far none is specified.
// From IEEE 802.3ba (40GBASE-CR4), 802.3by (25GBASE-CR, 5 m with RS-FEC, 3 m
// without) and 802.3bj (100GBASE-CR4); SFP+ is the practice of the trade, for
// which one user reports 10 m. All by recall.
var dacReach = map[Cage]struct {
	doubtful, far float64
	why           string
}{
	"sfp+":   {5, 7, "passive SFP+ copper is sold up to 7 m; longer ones are active, or fibre"},
	"qsfp+":  {5, 7, "40GBASE-CR4 is specified up to 7 m"},
	"sfp28":  {3, 5, "25GBASE-CR reaches 5 m with RS-FEC at both ends, 3 m without"},
	"qsfp28": {3, 5, "100GBASE-CR4 reaches 5 m with RS-FEC and is mostly sold up to 3 m"},
}

// CopperReach says whether a passive copper cable of that length in metres is
// within what its plug was specified for: "ok", "doubtful" or "far", and why.
// Of plugs that are not in the table it says "unknown".
func CopperReach(plug Cage, metres float64) (verdict, why string) {
	r, ok := dacReach[plug]
	switch {
	case !ok:
		return "unknown", fmt.Sprintf("linerate has no limit for copper with %s plugs", plug)
	case metres > r.far:
		return "far", r.why
	case metres > r.doubtful:
		return "doubtful", r.why
	}
	return "ok", ""
}
