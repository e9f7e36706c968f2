package fault

import (
	"fmt"
	"strings"
)

// polarising are hash policies whose fields are the same in all packets between two hosts: MAC and IP addresses, not
// ports.
var polarising = []string{"layer2", "layer2+3", "encap2+3", "vlan+srcmac"}

// bondHash makes the sender's bond choose members only by addresses.
var bondHash = Fault{ID: "bond-hash", Title: "a bond that spreads by addresses without ports",
	Cause: "hash-polarisation", Scenario: Bonded, Needs: []string{NeedsGuests, NeedsBond},
	Parameters: []Parameter{{Name: "way", Low: 0, High: float64(len(polarising) - 1)}},
	Make: func(p *Place, v Values) {
		file := fmt.Sprintf("/sys/class/net/%s/bonding/xmit_hash_policy", p.Sender.Bond)
		was := p.ask(p.Sender.Host, "cut -d' ' -f1 "+file)
		p.run(p.Sender.Host, fmt.Sprintf("echo %s > %s", polarising[int(v["way"])], file),
			fmt.Sprintf("echo %s > %s", was, file))
	}}

// bondCable unplugs one cable of a bond at both ends, as far as the kernel can see.
var bondCable = Fault{ID: "bond-cable", Title: "one cable of a bond is out", Cause: "lag-member-down", Scenario: Bonded,
	Needs: []string{NeedsGuests, NeedsBond}, Parameters: []Parameter{{Name: "cable", Low: 1, High: 2}},
	Make: func(p *Place, v Values) {
		i := int(v["cable"]) - 1
		for _, e := range []End{p.Sender, p.Receiver} {
			p.run(e.Host, fmt.Sprintf("ip link set %s down", e.Members[i]), fmt.Sprintf("ip link set %s up", e.Members[i]))
		}
		p.run(p.Sender.Host, "sleep 1", "") // the bonds check their members ten times a second, and inform each other
	}}

// vlanOther gives the receiver's interface the tag of another VLAN than the sender's.
var vlanOther = Fault{ID: "vlan-other", Title: "the receiver's end is in another VLAN", Cause: "vlan-mismatch",
	Scenario: Tagged, Needs: []string{NeedsGuests}, Parameters: []Parameter{{Name: "tag", Low: 2, High: 700}},
	Make: func(p *Place, v Values) {
		p.run(p.Receiver.Host, p.Receiver.tagged(int(v["tag"])), p.Receiver.tagged(p.Receiver.VLAN))
	}}

// tagged returns the script that recreates the end's VLAN interface with another tag.
func (e End) tagged(tag int) string {
	_, bits, _ := strings.Cut(e.Prefix, "/")
	return fmt.Sprintf(
		"ip link del %[1]s && ip link add link %[2]s name %[1]s type vlan id %[3]d && ip link set %[1]s up && ip address "+
			"add %[4]s/%[5]s dev %[1]s", e.VLANInterface, e.Interface, tag, e.Address, bits)
}
