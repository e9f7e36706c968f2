package fault

import (
	"fmt"
	"path"
)

// slowReader has the receiving program stand still most of the time.
var slowReader = Fault{
	ID: "slow-reader", Title: "a receiving program that stands still again and again", Cause: "slow-receiver", Kind: Live, Terrain: Fast,
	Parameters: []Parameter{{Name: "still", Unit: "1", Low: 0.8, High: 0.92}},
	Make:       func(p *Place, v Values) { p.stopping(p.Receiver.Host, v["still"], 0.25) },
}

// slowSource has the sending program stand still most of the time, so that the connection has nothing to send.
var slowSource = Fault{
	ID: "slow-source", Title: "a sending program that stands still again and again", Cause: "app-limited", Kind: Live, Terrain: Near,
	Parameters: []Parameter{{Name: "still", Unit: "1", Low: 0.75, High: 0.9}},
	Make:       func(p *Place, v Values) { p.stopping(p.Sender.Host, v["still"], 0.5) },
}

// stopping stops and continues this program's processes in a host for ever: still for a share of every period, in seconds.
func (p *Place) stopping(host string, still, period float64) {
	name := path.Base(p.Program)
	name = name[:min(15, len(name))] // as long as the kernel keeps it
	agents := fmt.Sprintf(`me=$(readlink /proc/self/ns/net); agents() { for p in $(pgrep -x %s); do [ "$(readlink /proc/$p/ns/net)" = "$me" ] && echo $p; done; }`, name)
	// They are looked for until they are there, and not at each turn: on cores that are full that took longer than the window.
	loop := fmt.Sprintf(`%s; while :; do a=$(agents); while [ -n "$a" ] && kill -STOP $a 2>/dev/null; do sleep %.3f; kill -CONT $a; sleep %.3f; done; sleep 0.05; done`, agents, still*period, (1-still)*period)
	pid := p.run(host, fmt.Sprintf("setsid nice -n -20 sh -c '%s' >/dev/null 2>&1 </dev/null & echo $!", loop), "")
	if p.Err == nil {
		p.undo(host, fmt.Sprintf(`kill -- -%[1]s 2>/dev/null || kill %[1]s; %[2]s; for a in $(agents); do kill -CONT $a; done`, pid, agents))
	}
}
