package fault

import (
	"fmt"
	"strings"
)

// vlanOther gives the receiver's interface the tag of another VLAN than the sender's.
var vlanOther = Fault{
	ID: "vlan-other", Title: "the receiver's end is in another VLAN", Cause: "vlan-mismatch", Kind: Live, Terrain: Tagged, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "tag", Low: 2, High: 700}},
	Make: func(p *Place, v Values) {
		p.run(p.Receiver.Host, p.Receiver.tagged(int(v["tag"])), p.Receiver.tagged(p.Receiver.VLAN))
	},
}

// tagged makes the end's interface for a VLAN anew, with another tag.
func (e End) tagged(tag int) string {
	_, bits, _ := strings.Cut(e.Prefix, "/")
	return fmt.Sprintf("ip link del %[1]s && ip link add link %[2]s name %[1]s type vlan id %[3]d && ip link set %[1]s up && ip address add %[4]s/%[5]s dev %[1]s",
		e.VLANInterface, e.Interface, tag, e.Address, bits)
}
