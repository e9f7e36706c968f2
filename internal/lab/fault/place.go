package fault

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// End is one end of the traffic, or another host.
type End struct {
	Host      string
	Interface string // on the planned path
	Address   string
	Prefix    string // of its subnet: 10.9.1.0/24
	Port      string // the switch's interface of its cable; empty if there is no switch
	Guest     bool   // the host is a whole machine, not a namespace
	// VLAN is the tag of the address, which is then on an interface of its own; 0: untagged.
	VLAN          int
	VLANInterface string
	// Bond is the bond of Members, of which Interface is one; empty: there is none.
	Bond    string
	Members []string
	// These are of the host's other port, if it has one, on the alternative path.
	OtherInterface, OtherAddress, OtherPrefix string
}

// Place is where a fault is made: a path in a lab, and how to run commands there.
type Place struct {
	Sender, Receiver End
	Third            *End         // another host in the same subnet; nil if there is none
	Switch, Bridge   string       // on the path, and its bridge; empty: a cable connects the ends directly
	OtherSwitch      string       // of the hosts' other ports
	Rate             unit.BitRate // of the slowest link on the path, in the lab
	Planned          unit.BitRate // the same in the plan
	MTU              int
	Program          string // this program, to be started in hosts and switches
	MayQuota         bool   // control groups can be made
	MayDrive         bool   // loop devices, and control groups that limit them
	Source           string // the file that the experiment sends; empty: none
	// Buckets are the lab's own token buckets, in tc's syntax, by "HOST INTERFACE".
	Buckets map[string]string
	// Exec runs a shell script in a host or switch and returns its output.
	Exec func(host, script string) (string, error)

	// Done are the scripts that ran, Undo those that undo them, last first.
	Done, Undo []Step
	// Err is the first error. After it no script runs.
	Err error

	wire []string
}

// Step is a shell script on a host or switch.
type Step struct {
	Host   string `json:"host"`
	Script string `json:"script"`
}

// The possible needs of a fault.
const (
	NeedsSwitch = "a switch on the path"
	NeedsThird  = "a third host in the subnet"
	NeedsOther  = "a second port at both ends, in another subnet"
	NeedsGuests = "guests as sender and receiver, each a kernel of its own"
	NeedsBond   = "a bond of several cables between both ends"
	NeedsQuota  = "control groups of version 1 that this user may make, with the CPU's controller"
	NeedsDrive  = "loop devices, and control groups of version 1 that this user may make, with the drives' controller " +
		"(blkio)"
)

// Missing returns the needs of a fault that the place does not have.
func (p *Place) Missing(f *Fault) []string {
	var out []string
	for _, n := range f.Needs {
		if n == NeedsSwitch && p.Switch == "" || n == NeedsThird && p.Third == nil || n == NeedsQuota && !p.MayQuota ||
			n == NeedsDrive && !p.MayDrive || n == NeedsGuests && !p.Guests() || n == NeedsBond && !p.Bonded() ||
			n == NeedsOther && (p.Sender.OtherInterface == "" || p.Receiver.OtherInterface == "") {
			out = append(out, n)
		}
	}
	return out
}

// Guests reports whether both ends are whole machines.
func (p *Place) Guests() bool { return p.Sender.Guest && p.Receiver.Guest }

// Bonded reports whether both ends have a bond with a member to spare.
func (p *Place) Bonded() bool { return len(p.Sender.Members) > 1 && len(p.Receiver.Members) > 1 }

// run runs a script and records it; undo, if not empty, undoes it.
func (p *Place) run(host, script, undo string) string {
	out := p.ask(host, script)
	if p.Err != nil {
		return ""
	}
	p.Done = append(p.Done, Step{host, script})
	if undo != "" {
		p.undo(host, undo)
	}
	return out
}

// undo records a script that undoes another one.
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

// sysctl sets a key, and records the undo.
func (p *Place) sysctl(host, key, value string) {
	was := strings.Join(strings.Fields(p.ask(host, "sysctl -n "+key)), " ")
	p.run(host, fmt.Sprintf("sysctl -qw %s='%s'", key, value), fmt.Sprintf("sysctl -qw %s='%s'", key, was))
}

// Wire adds impairments to the link between the switch and the receiver, as words of linerate lab-wire. Start inserts
// it.
func (p *Place) Wire(words ...string) { p.wire = append(p.wire, words...) }

// Start inserts the impaired link if a fault or the scenario needs one.
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
	p.undo(p.Switch, fmt.Sprintf("kill %s; ip link del %s; ip link set %s master %s", pid, up, port, p.Bridge))
}

// Back undoes everything, last first, and returns the errors.
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

// bits formats a rate for tc.
func bits(v float64) string { return fmt.Sprintf("%.0fbit", v) }

// limitWait is the longest queueing delay of a slow link or slot, in seconds. A real port paces its sender. It has no
// queue that a sender could fill for a quarter of a second and then lose a thousand segments.
const limitWait = 0.02

// limit limits the wire to the rate of a link or slot, scaled like the lab.
func (p *Place) limit(rate float64) {
	rate *= float64(p.Rate) / float64(p.Planned)
	p.Wire("--rate", fmt.Sprintf("%.6fM", rate/1e6), "--queue", fmt.Sprintf("%.0fB", limitWait*rate/8))
}

// overUDP returns a fault with datagrams, which never slow down: what does not fit is lost.
func overUDP(of Fault, title, cause string, parameters []Parameter, how func(*Place, Values)) Fault {
	of.ID, of.Title, of.Cause, of.Transport, of.Parameters, of.Make = of.ID+"-udp", title, cause, UDP, parameters, how
	return of
}

// slowReaderUDP loses what arrives while the reader is stopped and its socket is full.
var slowReaderUDP = overUDP(slowReader, "datagrams for a program that stands still again and again",
	"udp-socket-overflow", slowReader.Parameters, slowReader.Make)

// shaperUDP limits the sender of datagrams, whose socket is full: nothing is lost.
var shaperUDP = overUDP(shaperTBF, "datagrams through a token bucket left on the sender's interface", "local-shaper",
	[]Parameter{shareOf(0.2, 0.7)}, shaperTBF.Make)

// bufferUDP drops what is above the rate of the switch's port, whatever its buffer is.
var bufferUDP = overUDP(bufferShallow, "datagrams to a port of the switch that is slower than they come",
	"shallow-buffer", []Parameter{shareOf(0.3, 0.65),
		{Name: "buffer", Unit: "B", Low: 8e3, High: 100e3, Log: true}},
	bufferShallow.Make)

// lossUDP needs more losses than TCP: with few of them, datagrams still arrive at the requested rate.
var lossUDP = overUDP(lossRandom, "the link loses datagrams at random", "random-loss",
	[]Parameter{{Name: "loss", Unit: "1", Low: 0.08, High: 0.25}, anySeed}, lossRandom.Make)

// policerUDP is a limit in the receiver's firewall.
var policerUDP = overUDP(policerHost, "the receiver's firewall drops datagrams above a rate (nft)", "policer",
	policerHost.Parameters, func(p *Place, v Values) { p.policed("udp", v["share"]) })

// An emulated machine that shares its CPU runs late, and a bucket of a few milliseconds overflows meanwhile and never
// catches up. This bucket is deeper, but below a hundredth of an experiment's interval, so that its burst is within the
// tolerance of a ceiling.
const (
	steadyBurst = 0.025 // s at the link's rate
	steadyQueue = 0.040
)

var bucketDepth = regexp.MustCompile(`burst \S+ (latency|limit) \S+`)

// interfaces returns those of the end's cables.
func (e End) interfaces() []string {
	if len(e.Members) > 0 {
		return e.Members
	}
	return []string{e.Interface}
}

// Steady deepens the buckets of the shapers at both ends of a link between guests, for every cable of a bond.
func (p *Place) Steady() {
	for _, e := range []End{p.Sender, p.Receiver} {
		for _, on := range e.interfaces() {
			was := p.root(e.Host, on)
			deep := fmt.Sprintf("burst %.0f latency %.0fms", steadyBurst*float64(p.Rate)/8, 1000*steadyQueue)
			p.run(e.Host, bucketDepth.ReplaceAllString(was, deep), was)
		}
	}
}
