package fault

import "fmt"

// backlogShort has what the receiver's card brings wait in a queue of its core that holds a packet or two.
var backlogShort = Fault{
	ID: "backlog-short", Title: "a queue of a packet or two before the receiver's processor", Cause: "backlog-drop", Kind: Live, Terrain: Guest, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "held", Low: 1, High: 2}},
	Make: func(p *Place, v Values) {
		p.steer(p.Receiver)
		// Merged, what comes in at once is one packet, which finds room.
		p.run(p.Receiver.Host, "ethtool -K "+p.Receiver.Interface+" gro off", "ethtool -K "+p.Receiver.Interface+" gro on")
		p.sysctl(p.Receiver.Host, "net.core.netdev_max_backlog", fmt.Sprintf("%.0f", v["held"]-1)) // the kernel takes one more than that
	},
}

// steer has the kernel hand what an interface receives to a core (RPS): without it a card's packets pass no queue of a core.
func (p *Place) steer(e End) {
	file := fmt.Sprintf("/sys/class/net/%s/queues/rx-0/rps_cpus", e.Interface)
	was := p.ask(e.Host, "cat "+file)
	p.run(e.Host, "echo 1 > "+file, fmt.Sprintf("echo %s > %s", was, file))
}
