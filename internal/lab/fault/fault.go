package fault

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"linerate/internal/base/unit"
)

// Kind says what a fault breaks.
type Kind string

// The kinds. Live faults are real: the kernel of the lab's hosts does what it would do anywhere. A fixture is what a namespace cannot
// have, such as a slot: the host says it of itself, and the link is shaped to what it allows.
const (
	Live    Kind = "live"
	Fixture Kind = "fixture"
)

// Terrain is the lab that a fault binds in, healthy otherwise.
type Terrain string

// The terrains. Near: slow links between hosts that are next to each other, so that the wire is the limit of a healthy run. Far: the same
// with a round trip of milliseconds, where windows matter. Fast: links that are faster than the machine, so that a healthy run is
// limited by its processors. Jumbo: near, with MTU 9000. Card: near, and the hosts say that
// they have a card in a slot of PCI Express. Wide: the same with links of 25 Gb/s, which fill such a slot. Guest: both ends are whole machines with a kernel of their own, and links so slow that their
// emulated processors are not the limit of a healthy run. Tagged: the same, and the link carries a VLAN. Bonded: the same over a bond of two cables. RDMA: the same with soft RoCE, and the experiment is verbs. File: near, and what is sent is a
// file that is in the page cache.
const (
	Near   Terrain = "near"
	Far    Terrain = "far"
	Fast   Terrain = "fast"
	Jumbo  Terrain = "jumbo"
	Card   Terrain = "card"
	Wide   Terrain = "wide"
	Guest  Terrain = "guest"
	Tagged Terrain = "tagged"
	Bonded Terrain = "bonded"
	RDMA   Terrain = "rdma"
	File   Terrain = "file"
)

// Terrains are all of them.
var Terrains = []Terrain{Near, Far, Fast, Jumbo, Card, Wide, Guest, Tagged, Bonded, RDMA, File}

// Cards says whether the hosts of a terrain tell of cards.
func (t Terrain) Cards() bool { return t == Card || t == Wide }

// Guests says whether the ends are whole machines there.
func (t Terrain) Guests() bool { return t == Guest || t == Tagged || t == Bonded || t == RDMA }

// UDP is the transport of faults that are told by datagrams.
const UDP = "udp"

// Healthy are the verdicts that are right where nothing is broken: the ceilings that bind in that terrain. Datagrams are paced: their rate is what
// binds, in every terrain.
func Healthy(t Terrain, transport string) []string {
	if transport == UDP {
		return []string{"app-limited"}
	}
	if t == Fast {
		return []string{"link", "cpu-per-packet", "cpu-copy", "cpu-per-request", "memory"}
	}
	return []string{"link"}
}

// Fault is one thing that can be made wrong.
type Fault struct {
	ID      string
	Title   string // what it breaks, in a few words
	Cause   string // id of the verdict that it should lead to
	Kind    Kind
	Terrain Terrain
	// Transport of the experiment that the fault is told by: UDP, paced below the link's rate; empty: TCP, as fast as it goes.
	Transport string
	// Settings are what else the experiment must have otherwise for the fault to bind; nil: nothing.
	Settings func(Values) map[string]string
	// Repeats of the experiment that it takes for the fault to bind; 0: one.
	Repeats int
	// Needs are what the path must have: see the words of Place.Lacks.
	Needs      []string
	Parameters []Parameter
	// Make breaks it by commands of the place; nil: all of it is in the settings of the experiment, which is then the program that is at fault.
	Make func(*Place, Values)
}

// Parameter is a number that a fault is made with.
type Parameter struct {
	Name      string
	Unit      string // B, bit/s, s, 1 (a share), count; empty: count
	Low, High float64
	// Log draws the logarithm evenly instead of the number.
	Log bool
}

// Values are the parameters of one making, by name.
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

// round keeps three digits, and whole numbers of what is counted.
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

// Text is a value with its unit.
func (p Parameter) Text(v float64) string {
	switch p.Unit {
	case "B":
		return unit.Bytes(v).String()
	case "bit/s":
		return unit.BitRate(v).String()
	case "s":
		return unit.Seconds(v)
	case "1":
		return unit.Percent(v)
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
			wrong = append(wrong, fmt.Errorf("fault %s: %s %s: it takes %s to %s", f.ID, name, p.Text(value), p.Text(p.Low), p.Text(p.High)))
		}
	}
	return wrong
}

// Find gives a fault by its id; nil if there is none.
func Find(id string) *Fault {
	for i := range all {
		if all[i].ID == id {
			return &all[i]
		}
	}
	return nil
}

// All lists every fault, live ones first.
func All() []Fault { return slices.Clone(all) }
