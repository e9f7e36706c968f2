package fault

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// End is one end of the traffic, or another host beside it.
type End struct {
	Host      string
	Interface string // on the planned path
	Address   string
	Prefix    string // of its subnet: 10.9.1.0/24
	Port      string // the switch's interface that it is cabled to; empty if there is no switch
	Guest     bool   // the host is a whole machine, not a namespace
	// VLAN is the tag that the address is behind, on an interface of its own; 0: untagged.
	VLAN          int
	VLANInterface string
	// Bond is the interface that joins Members, of which Interface is one; empty: there is none.
	Bond    string
	Members []string
	// Of the host's other port, if it has one: the way round.
	OtherInterface, OtherAddress, OtherPrefix string
}

// Place is where a fault is made: a path in a lab, and how to run commands there.
type Place struct {
	Sender, Receiver End
	Third            *End         // another host in the same subnet; nil if there is none
	Switch, Bridge   string       // on the path, and its bridge; empty: the ends are cabled to each other
	OtherSwitch      string       // of the hosts' other ports
	Rate             unit.BitRate // of the slowest link on the path, in the lab
	Planned          unit.BitRate // the same in the plan
	MTU              int
	Program          string // this program, to be started in hosts and switches
	MayQuota         bool   // control groups can be made
	MayDrive         bool   // loop devices, and control groups that limit them
	Source           string // the file that the experiment sends; empty: it sends none
	// Buckets are the lab's own token buckets, as tc takes them, by "HOST INTERFACE".
	Buckets map[string]string
	// Exec runs a script of sh in a host or switch and gives what it printed.
	Exec func(host, script string) (string, error)

	// Done are the scripts that were run, Undo those that take them back, the last first.
	Done, Undo []Step
	// Err is the first that went wrong; nothing is run after it.
	Err error

	wire []string
}

// Step is a script of sh on a host or switch.
type Step struct {
	Host   string `json:"host"`
	Script string `json:"script"`
}

// What a fault can need of a place.
const (
	NeedsSwitch = "a switch on the path"
	NeedsThird  = "a third host in the subnet"
	NeedsOther  = "a second port at both ends, in another subnet"
	NeedsGuests = "guests as sender and receiver, each a kernel of its own"
	NeedsBond   = "a bond of several cables between both ends"
	NeedsQuota  = "control groups of version 1 that this user may make, with the processor's controller"
	NeedsDrive  = "loop devices, and control groups of version 1 that this user may make, with the drives' controller (blkio)"
)

// Lacks are the needs of a fault that the place does not have.
func (p *Place) Lacks(f *Fault) []string {
	var out []string
	for _, n := range f.Needs {
		if n == NeedsSwitch && p.Switch == "" || n == NeedsThird && p.Third == nil || n == NeedsQuota && !p.MayQuota || n == NeedsDrive && !p.MayDrive || n == NeedsGuests && !p.Guests() || n == NeedsBond && !p.Bonded() ||
			n == NeedsOther && (p.Sender.OtherInterface == "" || p.Receiver.OtherInterface == "") {
			out = append(out, n)
		}
	}
	return out
}

// Guests says whether both ends are whole machines.
func (p *Place) Guests() bool { return p.Sender.Guest && p.Receiver.Guest }

// Bonded says whether both ends have a bond with a member to spare.
func (p *Place) Bonded() bool { return len(p.Sender.Members) > 1 && len(p.Receiver.Members) > 1 }

// run runs a script and notes it; undo, if not empty, takes it back.
func (p *Place) run(host, script, undo string) string {
	if p.Err != nil {
		return ""
	}
	out, err := p.Exec(host, script)
	if err != nil {
		p.Err = fmt.Errorf("%s: %s: %w", host, script, err)
		return ""
	}
	p.Done = append(p.Done, Step{host, script})
	if undo != "" {
		p.Undo = slices.Insert(p.Undo, 0, Step{host, undo})
	}
	return strings.TrimSpace(out)
}

// undo notes what takes a script back that names what the script printed.
func (p *Place) undo(host, script string) { p.Undo = slices.Insert(p.Undo, 0, Step{host, script}) }

// ask runs a script that changes nothing.
func (p *Place) ask(host, script string) string {
	if p.Err != nil {
		return ""
	}
	out, err := p.Exec(host, script)
	if err != nil {
		p.Err = fmt.Errorf("%s: %s: %w", host, script, err)
	}
	return strings.TrimSpace(out)
}

// sysctl sets a key and puts it back as it was.
func (p *Place) sysctl(host, key, value string) {
	was := strings.Join(strings.Fields(p.ask(host, "sysctl -n "+key)), " ")
	p.run(host, fmt.Sprintf("sysctl -qw %s='%s'", key, value), fmt.Sprintf("sysctl -qw %s='%s'", key, was))
}

// Wire adds impairments to the link between the switch and the receiver, as words of linerate lab-wire. It is put in by Start.
func (p *Place) Wire(words ...string) { p.wire = append(p.wire, words...) }

// Start puts the impaired link in where a fault or the terrain asked for one.
func (p *Place) Start() {
	if len(p.wire) == 0 || p.Err != nil {
		return
	}
	port := p.Receiver.Port
	const up, down = "u0", "u1" // towards the host, towards the bridge
	script := fmt.Sprintf(`set -e
trap 'test $? = 0 || { ip link del %[1]s; ip link set %[3]s master %[4]s; } 2>/dev/null' EXIT
ip link add %[1]s type veth peer name %[2]s
ip link set %[1]s mtu 9216 up
ip link set %[2]s mtu 9216 up
ip link set %[3]s nomaster
ip link set %[2]s master %[4]s
out=$(mktemp)
setsid %[5]s lab-wire %[1]s %[3]s %[6]s >$out 2>&1 </dev/null &
pid=$!
for i in $(seq 100); do grep -q ready $out && break; kill -0 $pid 2>/dev/null || break; sleep 0.05; done
grep -q ready $out || { cat $out >&2; rm -f $out; exit 1; }
rm -f $out
echo $pid`, up, down, port, p.Bridge, p.Program, strings.Join(p.wire, " "))
	pid := p.run(p.Switch, script, "")
	if p.Err != nil {
		return
	}
	p.Undo = slices.Insert(p.Undo, 0, Step{p.Switch, fmt.Sprintf("kill %s; ip link del %s; ip link set %s master %s", pid, up, port, p.Bridge)})
}

// Back undoes what was done, the last first, and gives what could not be.
func (p *Place) Back() []error {
	var wrong []error
	for _, s := range p.Undo {
		if _, err := p.Exec(s.Host, s.Script); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %s: %w", s.Host, s.Script, err))
		}
	}
	p.Undo = nil
	return wrong
}

// bits is a rate as tc takes it.
func bits(v float64) string { return fmt.Sprintf("%.0fbit", v) }

// sorted are the keys of a map in their order.
func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// limitWait is what waits before a slow link or slot at most, in s: a port holds its sender back, and has no queue of its own
// that a sender could fill with a quarter of a second and lose a thousand segments at its end.
const limitWait = 0.02

// limit lets the wire carry what a link or a slot of a rate would, as much slower as the lab is.
func (p *Place) limit(rate float64) {
	rate *= float64(p.Rate) / float64(p.Planned)
	p.Wire("--rate", fmt.Sprintf("%.6fM", rate/1e6), "--queue", fmt.Sprintf("%.0fB", limitWait*rate/8))
}
