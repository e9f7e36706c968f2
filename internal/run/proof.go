package run

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// Proof is the method that shows whether a lossless class loses nothing: every host of a subnet sends to one of them in the class, and as
// much beside it as best effort.
const Proof = record.MethodProof

// What a proof does where nobody says.
const (
	proofWindow  = "10s"
	proofStreams = "2" // of each flow: one that waits for a lost segment does not leave the way empty
	mostSenders  = mostFlows / 2
)

// LosslessProofs are the experiments that --proof lossless asks for: one for each lossless class.
func LosslessProofs(p *plan.Plan) ([]*fabric.Experiment, error) {
	var out []*fabric.Experiment
	if q := p.QoS(); q != nil {
		for _, c := range q.Classes {
			if c.Lossless {
				out = append(out, &fabric.Experiment{Name: "proof-" + c.Name, Method: Proof, Axes: []fabric.Axis{{Key: "class", Values: []string{c.Name}}}})
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("--proof lossless: the fabric has no lossless class; write one below classes: roce: {priority: 3, dscp: 26, lossless: true}")
	}
	return out, nil
}

// proofs makes a cell of each combination of settings.
func proofs(p *plan.Plan, e *fabric.Experiment, o Options) []*Cell {
	var cells []*Cell
	for _, settings := range product(e.Axes) {
		maps.Copy(settings, o.Settings)
		cells = append(cells, proof(p, e, o, settings))
	}
	return cells
}

func proof(p *plan.Plan, e *fabric.Experiment, o Options, settings map[string]string) *Cell {
	if settings["streams"] == "" {
		settings["streams"] = proofStreams
	}
	c := &Cell{Samples: 1, Window: cmp.Or(settings["time"], proofWindow), Repeat: 1}
	if o.Repeats > 0 || e.Repeats > 0 {
		c.Repeat = repeats(e, o)
	}
	delete(settings, "time")
	x := &record.Experiment{Name: e.Name, Method: Proof, Direction: traffic.Out, Variant: p.Variant, Settings: settings, Pattern: fabric.Incast,
		From: fabric.Compact(e.From), To: fabric.Compact(e.To)}
	c.Exp = x
	class, ok := losslessClass(p, settings["class"])
	switch {
	case !ok:
		x.NotRun = fmt.Sprintf("the plan has no lossless class %s", settings["class"])
	default:
		if x.NotRun = unsupported(e, settings, o); x.NotRun == "" {
			x.NotRun = c.incast(p, e)
		}
	}
	if x.NotRun == "" {
		c.inClass(class)
	}
	c.ends()
	for i := range x.Flows {
		x.Flows[i].Class = record.BestEffort
		if c.marks[i] != nil {
			x.Flows[i].Class = class.Name
		}
	}
	x.ID = record.ExperimentID(x)
	return c
}

func losslessClass(p *plan.Plan, name string) (plan.QoSClass, bool) {
	if q := p.QoS(); q != nil {
		for _, c := range q.Classes {
			if c.Name == name && c.Lossless {
				return c, true
			}
		}
	}
	return plan.QoSClass{}, false
}

// inClass doubles the flows: those in the class, then as many beside it.
func (c *Cell) inClass(class plan.QoSClass) {
	mark := &traffic.ClassMark{Priority: class.Priority}
	if len(class.DSCP) > 0 {
		mark.DSCP = class.DSCP[0]
	}
	c.class = class
	n := len(c.Flows)
	c.Flows = append(c.Flows, c.Flows...)
	c.marks = make([]*traffic.ClassMark, 2*n)
	for i := range n {
		c.marks[i] = mark
	}
}

// incast chooses who sends to whom, or says why nobody can: the hosts that the file names, else all of the subnet in which most can send to
// one. Of several the one that other experiments go to, as to a server, then the first of the file. A virtual machine sends by its host's
// port, so that it is left out unless it is named.
func (c *Cell) incast(p *plan.Plan, e *fabric.Experiment) string {
	if len(e.To) > 1 {
		return fmt.Sprintf("an incast goes to one host, and to has %d; write to: HOST", len(e.To))
	}
	var best []plan.Path
	asked := func(name string) int {
		n := 0
		for _, other := range p.Fabric.Experiments {
			if other.Method != Proof && slices.ContainsFunc(other.To, func(to string) bool { return hostOf(to) == name }) {
				n++
			}
		}
		return n
	}
	for _, h := range p.Hosts {
		if len(e.To) == 1 && h.Name != hostOf(e.To[0]) || len(e.To) == 0 && (h.Decl.On != "" || len(e.From) > 0 && among(e.From, h.Name)) {
			continue
		}
		for _, port := range h.Ports {
			if len(e.To) == 1 && !at(port, cardOf(e.To[0])) {
				continue
			}
			ways := senders(p, e, h, port)
			if len(ways) > len(best) || len(ways) > 0 && len(ways) == len(best) && asked(h.Name) > asked(best[0].To) {
				best = ways
			}
		}
	}
	switch {
	case len(best) == 0:
		return "no hosts of one subnet are joined by links: nobody can send to anybody"
	case len(best) > mostSenders:
		return fmt.Sprintf("%d hosts would send to %s, each with two flows, and linerate's limit is %d flows a host; name up to %d with from", len(best), best[0].To, mostFlows, mostSenders)
	}
	c.Flows = best
	return ""
}

// senders are the ways to a port, one from each host that can send to it.
func senders(p *plan.Plan, e *fabric.Experiment, to *plan.Host, port *plan.Port) (ways []plan.Path) {
	for _, from := range p.Hosts {
		switch {
		case len(e.From) > 0 && !among(e.From, from.Name), len(e.From) == 0 && from.Decl.On != "", machineOf(from) == machineOf(to):
			continue
		}
		for _, way := range p.Paths(from.Name, to.Name) {
			if way.ToPort == port && len(way.Links) > 0 && through(way, e.Via) {
				ways = append(ways, way)
				break
			}
		}
	}
	return ways
}

// machineOf is the host that a virtual machine runs on, or the host itself.
func machineOf(h *plan.Host) string { return cmp.Or(h.Decl.On, h.Name) }

func among(places []string, host string) bool {
	return slices.ContainsFunc(places, func(s string) bool { return hostOf(s) == host })
}

// hostOf and cardOf are the parts of host.card.port.
func hostOf(place string) string {
	host, _, _ := strings.Cut(place, ".")
	return host
}

func cardOf(place string) string {
	_, card, _ := strings.Cut(place, ".")
	return card
}
