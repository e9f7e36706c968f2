package fault

import "fmt"

// polarising are ways to spread by what is the same in all packets between two hosts: MAC and IP addresses, not ports.
var polarising = []string{"layer2", "layer2+3", "encap2+3", "vlan+srcmac"}

// bondHash has the sender's bond choose members by addresses alone.
var bondHash = Fault{
	ID: "bond-hash", Title: "a bond that spreads by addresses without ports", Cause: "hash-polarisation", Kind: Live, Terrain: Bonded, Needs: []string{NeedsGuests, NeedsBond},
	Parameters: []Parameter{{Name: "way", Low: 0, High: float64(len(polarising) - 1)}},
	Make: func(p *Place, v Values) {
		file := fmt.Sprintf("/sys/class/net/%s/bonding/xmit_hash_policy", p.Sender.Bond)
		was := p.ask(p.Sender.Host, "cut -d' ' -f1 "+file)
		p.run(p.Sender.Host, fmt.Sprintf("echo %s > %s", polarising[int(v["way"])], file), fmt.Sprintf("echo %s > %s", was, file))
	},
}
