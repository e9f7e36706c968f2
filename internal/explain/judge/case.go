package judge

import (
	"math"
	"sort"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// IsVirtual has the drivers of NICs that a hypervisor emulates.
var IsVirtual = map[string]bool{"virtio_net": true, "vmxnet3": true, "hv_netvsc": true, "xen_netfront": true,
	"vif": true, "ena": true, "gve": true}

// Side is one end of the traffic.
type Side struct {
	Host  string
	Port  *plan.Port
	Shots Shots
}

// NIC returns the planned interface of the traffic, as it was after the experiment; nil if not known.
func (s Side) NIC() *facts.Interface {
	if s.Shots.After == nil || s.Port == nil {
		return nil
	}
	return s.Shots.After.NIC(s.Port.Interface)
}

// Case is one experiment in one direction with everything known about it, oriented so that Sender sends.
type Case struct {
	Exp              *record.Experiment
	Chain            *record.Chain
	Sender, Receiver Side
	Switches         []SwitchSide // on the path, from sender to receiver
	Goodput          float64      // bits per second, median over the repeats
	Ceiling          float64      // of this direction; 0 if none is known
	Repeat           *record.Repeat
	Streams          []record.Stream // of Repeat, in this direction
	Interval         float64         // seconds
	Lab              bool
	Scale            float64    // of a lab; 0 outside of one
	Plan             *plan.Plan // nil: a host is judged on its own
	// Connections has the connections to the hosts, as typed. A host that is not in it is not known. Rate is the link's
	// rate
	// on the command line of a measurement without a fabric file. ByFlags reports whether it was such a measurement.
	Connections map[string]string
	Rate        string
	ByFlags     bool
	// Accounts are the cross-checks of this experiment (account.go), computed before any cause is tried.
	Accounts []record.Account
	// Steps are experiments that differ from this one in one thing, see follow-up.go; most experiments have none.
	Steps     []Step
	Direction string // out or in, as the record has it
}

// AllSides returns the devices that the data passes: its receiver, its sender, and the switches between them.
func (c *Case) AllSides() []Side {
	all := []Side{c.Receiver, c.Sender}
	for _, s := range c.Switches {
		all = append(all, Side{Host: s.Name, Shots: s.Shots})
	}
	return all
}

// Share returns goodput as a share of the ceiling; 0 if no ceiling is known.
func (c *Case) Share() float64 {
	if c.Ceiling <= 0 {
		return 0
	}
	return c.Goodput / c.Ceiling
}

// NewCase returns the case of an experiment's slower direction, in the repeat that is nearest to the median.
func NewCase(e *record.Experiment, whole *plan.Plan, p plan.Path, shots map[string]Shots, lab bool) *Case {
	direction := e.Direction
	if direction == "both" && e.Forward != nil && e.Backward != nil {
		direction = "out"
		if e.Backward.Median < e.Forward.Median {
			direction = "in"
		}
	}
	return CaseIn(e, whole, p, shots, lab, direction)
}

// CaseIn returns the case of one direction, out or in.
func CaseIn(e *record.Experiment, whole *plan.Plan, p plan.Path, shots map[string]Shots, lab bool,
	direction string) *Case {
	c := &Case{Exp: e, Chain: e.Ceiling, Lab: lab, Plan: whole}
	c.Sender = Side{Host: p.From, Port: p.FromPort, Shots: shots[p.From]}
	c.Receiver = Side{Host: p.To, Port: p.ToPort, Shots: shots[p.To]}
	if e.Goodput != nil {
		c.Goodput = e.Goodput.Median
	}
	if e.Ceiling != nil {
		c.Ceiling = float64(e.Ceiling.Limit)
	}
	if e.Direction == "both" && e.Forward != nil && e.Backward != nil {
		c.Goodput = e.Forward.Median
		if direction == "in" {
			c.Goodput = e.Backward.Median
		}
	}
	if direction == "in" {
		c.Sender, c.Receiver = c.Receiver, c.Sender
	}
	if e.Direction == "both" && e.Forward != nil && e.Backward != nil && e.Ceiling != nil {
		c.Ceiling = float64(e.Ceiling.OneWay(c.Sender.Host))
	}
	best := math.Inf(1)
	for i := range e.Repeats {
		r := &e.Repeats[i]
		if d := math.Abs(GoodputOf(r, direction) - c.Goodput); d < best {
			best, c.Repeat, c.Interval = d, r, r.Seconds
		}
	}
	if c.Repeat != nil {
		for _, s := range c.Repeat.Streams {
			if s.Direction == direction {
				c.Streams = append(c.Streams, s)
			}
		}
	}
	c.Direction = direction
	c.Switches = SwitchesOn(whole, p, direction, shots)
	return c
}

// GoodputOf returns the goodput of a repeat in one direction, bits per second.
func GoodputOf(r *record.Repeat, direction string) float64 {
	if direction == "in" {
		return r.Backward
	}
	return r.Forward
}

// Sum adds one field over the sockets of one end; ok is false unless every stream has it.
func (c *Case) Sum(receiver bool, field func(*record.Socket) *float64) (total float64, ok bool) {
	vs, ok := c.Each(receiver, field)
	for _, v := range vs {
		if !(v >= 0) {
			return 0, false // none of the fields can be negative
		}
		total += v
	}
	return total, ok
}

// Median returns the median of one field over the sockets of one end.
func (c *Case) Median(receiver bool, field func(*record.Socket) *float64) (float64, bool) {
	vs, ok := c.Each(receiver, field)
	if !ok {
		return 0, false
	}
	sort.Float64s(vs)
	return vs[len(vs)/2], true
}

// Each returns the values of one field over the sockets of one end; ok is false unless every stream has it.
func (c *Case) Each(receiver bool, field func(*record.Socket) *float64) ([]float64, bool) {
	var vs []float64
	for _, s := range c.Streams {
		sock := s.Socket
		if receiver {
			sock = s.Receiver
		}
		if sock == nil {
			return nil, false
		}
		v := field(sock)
		if v == nil {
			return nil, false
		}
		vs = append(vs, *v)
	}
	return vs, len(vs) > 0
}

// Integer converts the getter of an integer field to one of a float.
func Integer(field func(*record.Socket) *int64) func(*record.Socket) *float64 {
	return func(s *record.Socket) *float64 {
		if v := field(s); v != nil {
			f := float64(*v)
			return &f
		}
		return nil
	}
}

// BusiestCore returns the busiest core of a host in the interval, and its share in use.
func (c *Case) BusiestCore(host string) (core int, share float64, ok bool) {
	if c.Repeat == nil {
		return 0, 0, false
	}
	return BusiestCore(c.Repeat, host)
}

// BusiestCore returns the busiest core of a host in a repeat, and its share in use.
func BusiestCore(r *record.Repeat, host string) (core int, share float64, ok bool) {
	for _, u := range r.CPU {
		if u.Host != host || u.Core < 0 {
			continue
		}
		if used := u.Busy(); !ok || used > share {
			core, share, ok = u.Core, used, true
		}
	}
	return core, share, ok
}

// Rate formats bits per second.
func Rate(v float64) string { return unit.BitRate(v).String() }

// Matches reports whether two counts that should be equal are within 5 %.
func Matches(left, right float64) (float64, bool) {
	if left <= 0 || right <= 0 {
		return 1, false
	}
	d := math.Abs(left-right) / math.Max(left, right)
	return d, d <= 0.05
}

// OtherWorkCores is the CPU use of other processes, in cores, from which on a figure is doubtful.
const OtherWorkCores = 0.1

// Side returns the end with the name of the host, nil if there is none.
func (c *Case) Side(host string) *Side {
	return xslices.First([]*Side{&c.Sender, &c.Receiver}, func(s *Side) bool { return s.Host == host })
}

// mostShare is the largest share of a core, with rounding.
const mostShare = 1.1

// PossibleShares reports whether the shares of a core, and of its threads, are possible values.
func PossibleShares(u record.CPU) bool {
	for _, v := range []float64{u.User, u.System, u.SoftIRQ, u.IRQ, u.Steal} {
		if !(v >= 0) || u.Core >= 0 && v > mostShare {
			return false
		}
	}
	for _, t := range u.Threads {
		if used := t.User + t.System; !(used >= 0) || used > mostShare*float64(max(1, t.Count)) {
			return false
		}
	}
	return true
}
