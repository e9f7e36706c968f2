package fault

import (
	"fmt"
	"strings"
)

// duplicateSubnet gives the sender's slow interface an address of the fast subnet, whose route comes first.
var duplicateSubnet = Fault{
	ID: "duplicate-subnet", Title: "two interfaces of the sender in one subnet", Cause: "duplicate-subnet", Kind: Live, Terrain: Near, Needs: []string{NeedsOther},
	Parameters: []Parameter{{Name: "host", Low: 100, High: 250}},
	Make: func(p *Place, v Values) {
		s := p.Sender
		bits := s.Prefix[strings.Index(s.Prefix, "/"):]
		extra := fmt.Sprintf("%s.%.0f%s", s.Address[:strings.LastIndex(s.Address, ".")], v["host"], bits)
		own := s.Address + bits
		for _, dev := range []string{"all", p.Receiver.OtherInterface} { // the kernel's default: a host answers for all of its addresses everywhere
			p.sysctl(p.Receiver.Host, "net/ipv4/conf/"+dev+"/arp_ignore", "0")
		}
		// Added again, the address of the fast interface has its route behind the other's.
		p.run(s.Host, fmt.Sprintf("ip address add %s dev %s && ip address del %s dev %s && ip address add %s dev %s", extra, s.OtherInterface, own, s.Interface, own, s.Interface),
			fmt.Sprintf("ip address del %s dev %s", extra, s.OtherInterface))
	},
}
