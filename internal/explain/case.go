package explain

import (
	"math"
	"sort"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// Side is one end of the traffic.
type Side struct {
	Host  string
	Port  *plan.Port
	Shots Shots
}

// NIC is the interface that the plan expects the traffic on, as the host said
// after the experiment; nil if not known.
func (s Side) NIC() *facts.Interface {
	if s.Shots.After == nil || s.Port == nil {
		return nil
	}
	return s.Shots.After.NIC(s.Port.Interface)
}

// Case is one experiment in one direction with everything known about it,
// turned so that Sender sends.
type Case struct {
	Exp              *record.Experiment
	Chain            *record.Chain
	Sender, Receiver Side
	Switches         []SwitchSide // on the way from sender to receiver, in that order
	Goodput          float64      // bits per second, median
	Ceiling          float64      // of this direction; 0 if none is known
	Repeat           *record.Repeat
	Streams          []record.Stream // of Repeat, in this direction
	Window           float64         // seconds
	Lab              bool
	Scale            float64    // of a lab; 0 outside of one
	Plan             *plan.Plan // nil: a host is judged by itself
	// Reaches are how linerate got to the hosts, as they are typed; a host that is not in it is not known. Rate is what the command line of a
	// measurement without a fabric file said of the link's rate; ByFlags: it was one.
	Reaches map[string]string
	Rate    string
	ByFlags bool
	// Accounts are the identities of this experiment, see account.go: reckoned before any cause is asked.
	Accounts []record.Account
	// Steps are experiments that differ from this one in one thing, see chase.go; of most there are none.
	Steps     []step
	direction string // out or in, as the record has it
}

// everywhere is all that the data meets: its receiver, its sender, and the switches between them.
func (c *Case) everywhere() []Side {
	all := []Side{c.Receiver, c.Sender}
	for _, s := range c.Switches {
		all = append(all, Side{Host: s.Name, Shots: s.Shots})
	}
	return all
}

// Share of the ceiling; 0 if none is known.
func (c *Case) Share() float64 {
	if c.Ceiling <= 0 {
		return 0
	}
	return c.Goodput / c.Ceiling
}

// newCase turns an experiment so that its weaker direction is looked at, in the
// repeat that is nearest to the median.
func newCase(e *record.Experiment, whole *plan.Plan, p plan.Path, shots map[string]Shots, lab bool) *Case {
	direction := e.Direction
	if direction == "both" && e.Forward != nil && e.Backward != nil {
		direction = "out"
		if e.Backward.Median < e.Forward.Median {
			direction = "in"
		}
	}
	return turned(e, whole, p, shots, lab, direction)
}

// turned is a case in the direction out or in.
func turned(e *record.Experiment, whole *plan.Plan, p plan.Path, shots map[string]Shots, lab bool, direction string) *Case {
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
		c.Goodput, c.Ceiling = e.Forward.Median, c.Ceiling/2
		if direction == "in" {
			c.Goodput = e.Backward.Median
		}
	}
	if direction == "in" {
		c.Sender, c.Receiver = c.Receiver, c.Sender
	}
	best := math.Inf(1)
	for i := range e.Repeats {
		r := &e.Repeats[i]
		if d := math.Abs(along(r, direction) - c.Goodput); d < best {
			best, c.Repeat, c.Window = d, r, r.Seconds
		}
	}
	if c.Repeat != nil {
		for _, s := range c.Repeat.Streams {
			if s.Direction == direction {
				c.Streams = append(c.Streams, s)
			}
		}
	}
	c.direction = direction
	c.Switches = switchesOf(whole, p, direction, shots)
	return c
}

// along is the goodput of a repeat in one direction, bits per second.
func along(r *record.Repeat, direction string) float64 {
	if direction == "in" {
		return r.Backward
	}
	return r.Forward
}

// sum adds one field over the sockets of one end; ok is false unless every
// stream has it.
func (c *Case) sum(receiver bool, field func(*record.Socket) *float64) (total float64, ok bool) {
	vs, ok := c.each(receiver, field)
	for _, v := range vs {
		if !(v >= 0) {
			return 0, false // of what is added up nothing is below zero
		}
		total += v
	}
	return total, ok
}

// median of one field over the sockets of one end.
func (c *Case) median(receiver bool, field func(*record.Socket) *float64) (float64, bool) {
	vs, ok := c.each(receiver, field)
	if !ok {
		return 0, false
	}
	sort.Float64s(vs)
	return vs[len(vs)/2], true
}

func (c *Case) each(receiver bool, field func(*record.Socket) *float64) ([]float64, bool) {
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

// count lifts an integer field to a float one.
func count(field func(*record.Socket) *int64) func(*record.Socket) *float64 {
	return func(s *record.Socket) *float64 {
		if v := field(s); v != nil {
			f := float64(*v)
			return &f
		}
		return nil
	}
}

// busiestCore is the largest share of a core in use on a host in the window.
func (c *Case) busiestCore(host string) (core int, share float64, ok bool) {
	if c.Repeat == nil {
		return 0, 0, false
	}
	return busiestCore(c.Repeat, host)
}

func busiestCore(r *record.Repeat, host string) (core int, share float64, ok bool) {
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

func rate(v float64) string { return unit.BitRate(v).String() }

func ptr(v float64) *float64 { return &v }

// closes says whether two counts that should be equal are within 5 %.
func closes(left, right float64) (float64, bool) {
	if left <= 0 || right <= 0 {
		return 1, false
	}
	d := math.Abs(left-right) / math.Max(left, right)
	return d, d <= 0.05
}
