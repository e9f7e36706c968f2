// Package fault injects a fault into a lab, so that a verdict can be compared with the truth.
//
// A fault is one file and one line in the table: what it breaks, the parameters with their ranges, how it is made and
// unmade, and the id of the cause that a verdict should name. It is made by the system's own commands in the hosts and
// switches of the lab, as an administrator would, and undone by the commands that it records meanwhile. The package
// knows only the ids of causes and imports nothing that judges, so that a fault can influence a verdict only by its
// effect on the lab.
package fault

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"linerate/internal/base/unit"
)

// Kind is the kind of a fault.
type Kind string

// The kinds. Injected faults are real: the kernel of the lab's hosts behaves as on any machine. A recorded fault is one
// of hardware that a namespace cannot have, such as a slot: the host reports it, and the link is shaped to the
// resulting rate.
const (
	Injected Kind = "live"
	Recorded Kind = "fixture"
)

// Scenario is the lab, healthy otherwise, in which a fault is the bottleneck.
type Scenario string

// The scenarios. Near: slow links with a short round trip, so that the link is the limit of a healthy run. Far: the
// same with a round trip of milliseconds, where the TCP window matters. Fast: links that are faster than the machine,
// so that a healthy run is limited by its CPUs. Jumbo: near, with MTU 9000. WithNIC: near, and the hosts report a NIC
// in a slot of PCI Express. Wide: the same with links of 25 Gb/s, which fill such a slot. Guest: both ends are whole
// machines with a kernel of their own, and links so slow that their emulated CPUs are not the limit of a healthy run.
// Tagged: the same, and the link carries a VLAN. Bonded: the same over a bond of two cables. RDMA: the same with soft
// RoCE, and the experiment is verbs. File: near, and the data is a file in the page cache.
const (
	Near    Scenario = "near"
	Far     Scenario = "far"
	Fast    Scenario = "fast"
	Jumbo   Scenario = "jumbo"
	WithNIC Scenario = "card"
	Wide    Scenario = "wide"
	Guest   Scenario = "guest"
	Tagged  Scenario = "tagged"
	Bonded  Scenario = "bonded"
	RDMA    Scenario = "rdma"
	File    Scenario = "file"
)

// Scenarios are all scenarios.
var Scenarios = []Scenario{Near, Far, Fast, Jumbo, WithNIC, Wide, Guest, Tagged, Bonded, RDMA, File}

// HasNICs reports whether the hosts of a scenario have NICs.
func (t Scenario) HasNICs() bool { return t == WithNIC || t == Wide }

// Guests reports whether the ends are whole machines.
func (t Scenario) Guests() bool { return t == Guest || t == Tagged || t == Bonded || t == RDMA }

// UDP is the transport of faults that only datagrams show.
const UDP = "udp"

// Healthy returns the right verdicts without a fault: the limiting ceilings of the scenario. Datagrams are paced, so
// that their rate is the limit in every scenario.
func Healthy(t Scenario, transport string) []string {
	if transport == UDP {
		return []string{"app-limited"}
	}
	if t == Fast {
		return []string{"link", "cpu-per-packet", "cpu-copy", "cpu-per-request", "memory"}
	}
	return []string{"link"}
}

// Fault is a fault that can be injected.
type Fault struct {
	ID       string
	Title    string // what it breaks, in a few words
	Cause    string // id of the expected verdict
	Kind     Kind
	Scenario Scenario
	// Transport is that of the experiment that shows the fault: UDP, paced below the link's rate; empty: TCP at full
	// speed.
	Transport string
	// Settings are further settings of the experiment for the fault to be the bottleneck; nil: none.
	Settings func(Values) map[string]string
	// Repeats is the number of repeats until the fault is the bottleneck; 0: one.
	Repeats int
	// Needs are the requirements on the path, see Place.Missing.
	Needs      []string
	Parameters []Parameter
	// Make injects the fault by commands of the place; nil: the fault is only in the settings of the experiment, that is
	// in its program.
	Make func(*Place, Values)
}

// Parameter is a number in a fault.
type Parameter struct {
	Name      string
	Unit      string // B, bit/s, s, 1 (a share), count; empty: count
	Low, High float64
	// Log draws the logarithm evenly instead of the number.
	Log bool
}

// Parameters of several faults: the affected end, and the seed of a random number generator.
var anyEnd, anySeed = Parameter{Name: "end", Low: 0, High: 1}, Parameter{Name: "seed", Low: 1, High: 1e6}

// shareOf is a share of something, such as a link's rate.
func shareOf(low, high float64) Parameter {
	return Parameter{Name: "share", Unit: "1", Low: low, High: high}
}

// Values are the parameters of one injection, by name.
type Values map[string]float64

// Draw draws every parameter.
func (f *Fault) Draw(r *rand.Rand) Values {
	v := Values{}
	for _, p := range f.Parameters {
		if p.Log {
			v[p.Name] = p.round(math.Exp(math.Log(p.Low) + r.Float64()*(math.Log(p.High)-math.Log(p.Low))))
		} else {
			v[p.Name] = p.round(p.Low + r.Float64()*(p.High-p.Low))
		}
	}
	return v
}

// round rounds to three digits, and counts to whole numbers.
func (p Parameter) round(v float64) float64 {
	if p.Unit == "B" || p.Unit == "count" || p.Unit == "" {
		return math.Round(v)
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return v
	}
	return min(max(short, p.Low), p.High)
}

// Text formats a value with its unit.
func (p Parameter) Text(v float64) string {
	switch p.Unit {
	case "B":
		return unit.Bytes(v).String()
	case "bit/s":
		return unit.BitRate(v).String()
	case "s":
		return unit.Seconds(v)
	case "1":
		return unit.ExactPercent(v)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Check refuses values that the fault does not have, or that are out of range.
func (f *Fault) Check(v Values) []error {
	var wrong []error
	for name, value := range v {
		i := slices.IndexFunc(f.Parameters, func(p Parameter) bool { return p.Name == name })
		if i < 0 {
			wrong = append(wrong, fmt.Errorf("fault %s has no parameter %q; linerate lab fault --list shows them", f.ID, name))
			continue
		}
		if p := f.Parameters[i]; !(value >= p.Low && value <= p.High) {
			wrong = append(wrong,
				fmt.Errorf("fault %s: %s %s: it takes %s to %s", f.ID, name, p.Text(value), p.Text(p.Low), p.Text(p.High)))
		}
	}
	return wrong
}

// Find returns a fault by its id; nil if there is none.
func Find(id string) *Fault {
	i := slices.IndexFunc(all, func(f Fault) bool { return f.ID == id })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// All lists every fault, injected ones first.
func All() []Fault { return slices.Clone(all) }

// all are the faults, injected ones first. Each is in the file of its family.
var all = slices.Concat(
	of(Injected,
		receiveBuffer,
		sendBuffer,
		scalingOff,
		shaperTBF,
		shaperHTB,
		routeWrongNIC,
		duplicateSubnet,
		offloadsOff,
		firewallRules,
		firewallDrop,
		firewallOutput,
		cpuQuota,
		slowReader,
		slowSource,
		slowDrive,
		autotuningOff,
		routeTCPWindow,
		ruleWrongNIC,
		metricWrongNIC,
		arpFlux,
		duplicateAddress,
		overlay,
		otherTraffic,
		txQueue,
		policerSwitch,
		policerLink,
		policerHost,
		bufferShallow,
		bufferDeep,
		linkShallow,
		linkDeep,
		lossRandom,
		bitErrors,
		reorder,
		duplicates,
		ceMarks,
		ceQueue,
		mtuReceiver,
		mtuSender,
		mtuSwitch,
		mtuSwitchProbing,
		routeSegment,
		routeCwnd,
		segmentsFew,
		callsSmall,
		slowReaderUDP,
		shaperUDP,
		bufferUDP,
		lossUDP,
		policerUDP,
		firewallDropUDP,
		backlogShort,
		conntrackSmall,
		netemLoss,
		vlanOther,
		bondHash,
		bondCable,
		gidMoved,
		gidVersion,
		mtuRDMA,
		mtuRDMAEnd,
		lossRDMA,
		memlockSmall,
	),
	of(Recorded,
		pcieDegraded,
		pcieUpstream,
		payloadSmall,
		linkSlow,
		duplexHalf,
		oneQueue,
		numaRemote,
		pauseReceived,
		ringOverrun,
		cableErrors,
	),
)

// of sets the kind of faults.
func of(kind Kind, faults ...Fault) []Fault {
	for i := range faults {
		faults[i].Kind = kind
	}
	return faults
}
