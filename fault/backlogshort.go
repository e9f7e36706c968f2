package fault

import "fmt"

// backlogShort has what the receiver's card brings wait in a queue of its core that holds a few packets.
var backlogShort = Fault{
	ID: "backlog-short", Title: "a queue of a few packets before the receiver's processor", Cause: "backlog-drop", Kind: Live, Terrain: Guest, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "held", Low: 1, High: 2}},
	Make: func(p *Place, v Values) {
		p.steer(p.Receiver)
		p.sysctl(p.Receiver.Host, "net.core.netdev_max_backlog", fmt.Sprintf("%.0f", v["held"]))
	},
}

// steer has the kernel hand what an interface receives to a core (RPS): without it a card's packets pass no queue of a core.
func (p *Place) steer(e End) {
	file := fmt.Sprintf("/sys/class/net/%s/queues/rx-0/rps_cpus", e.Interface)
	was := p.ask(e.Host, "cat "+file)
	p.run(e.Host, "echo 1 > "+file, fmt.Sprintf("echo %s > %s", was, file))
}
