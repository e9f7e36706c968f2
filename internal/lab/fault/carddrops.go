package fault

import "fmt"

// ringOverrun has the receiver's card lose frames for which its ring has no room.
var ringOverrun = Fault{
	ID: "ring-overrun", Title: "the receiver's ring has no room for some frames", Cause: "rx-ring", Kind: Fixture, Terrain: Card,
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.01, High: 0.04}},
	Make:       func(p *Place, v Values) { p.cardDrops("rx_out_of_buffer", v["share"]) },
}

// cableErrors has the receiver's card throw away frames with a wrong check sequence.
var cableErrors = Fault{
	ID: "cable-errors", Title: "frames arrive damaged, and the card counts them", Cause: "bit-errors", Kind: Fixture, Terrain: Card,
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.01, High: 0.04}},
	Make:       func(p *Place, v Values) { p.cardDrops("rx_crc_errors_phy", v["share"]) },
}

// cardDrops loses a share of the frames as they come into the receiver, which says that its card did, in one of its counters: the rule that
// does so is hidden from it. The wire cuts super-packets before, so that frames are what
// is lost and counted, and puts the ends so far apart that losses hold TCP back.
func (p *Place) cardDrops(counter string, share float64) {
	e := p.Receiver
	c := goodCard(float64(p.Planned))
	c.Counters[counter] = `$(nft list table netdev port | sed -n 's/.*counter packets \([0-9]*\).*/\1/p')`
	p.Card(e, c)
	p.run(e.Host, fmt.Sprintf(`printf 'table netdev port {\nchain c {\ntype filter hook ingress device "%s" priority 0;\nmeta length > 300 numgen random mod 100000 < %.0f counter drop\n}\n}\n' | nft -f -`, e.Interface, share*1e5),
		"nft delete table netdev port")
	p.tell(e.Host, map[string]string{"nft list ruleset": "true"}, nil)
	p.Wire("--delay", "4ms")
}
