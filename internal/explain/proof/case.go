package proof

import (
	"cmp"
	"fmt"
	"linerate/internal/inspect/check/checks"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/explain/judge"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Judge judges an experiment of the method lossless by its last repeat and the snapshots of its hosts and switches
// before and after.
func Judge(e *record.Experiment, p *plan.Plan, shots func(name string) judge.Shots) *record.Proof {
	last := e.Repeats[len(e.Repeats)-1]
	x := &proving{traffic: cmp.Or(last.InEffect["class_traffic"], e.Settings["transport"], "tcp"),
		why: last.InEffect["class_traffic_why"], class: device.Class{Name: e.Settings["class"]}}
	if q := p.QoS(); q != nil {
		for _, c := range q.Classes {
			if c.Name == x.class.Name {
				x.class = c
			}
			if c.Lossless {
				x.lossless++
			}
		}
	}
	w := &check.World{Plan: p}
	seen := map[string]bool{}
	look := func(name string) judge.Shots {
		s := shots(name)
		if !seen[name] && s.After != nil {
			w.Add(name, s.After)
		}
		seen[name] = true
		return s
	}
	for i, f := range e.Flows {
		x.flows = append(x.flows, flowOf(e, f, i, last.Streams))
		if f.Class != x.class.Name || len(f.Ends) < 2 {
			continue
		}
		var way *plan.Path
		for _, candidate := range p.Paths(f.From, f.To) {
			if candidate.FromPort.ID == f.Ends[0].Port && candidate.ToPort.ID == f.Ends[1].Port {
				way = &candidate
				break
			}
		}
		at := x.port(f.From, f.Ends[0].Interface, atSenders, look(f.From), i)
		if way == nil {
			x.unread = append(x.unread, fmt.Sprintf("%s -> %s: the way is not in the plan", f.From, f.To))
		} else {
			all := map[string]judge.Shots{}
			for _, name := range way.Switches {
				all[name] = look(name)
			}
			for _, s := range judge.SwitchesOn(p, *way, "out", all) {
				if s.Shots.Before == nil || s.Shots.After == nil {
					x.unread = append(x.unread, s.Name+": its counters around the experiment were not read")
					at = -1
					continue
				}
				x.join(at, x.port(s.Name, s.In, switchIn, s.Shots, i))
				at = x.port(s.Name, s.Out, switchOut, s.Shots, i)
			}
		}
		x.join(at, x.port(f.To, f.Ends[1].Interface, atReceivers, look(f.To), i))
	}
	x.unread = unique(x.unread)
	x.found = check.Run(checks.All(), w, check.Choice{Only: aboutClasses}).Findings
	return x.judge()
}

// port returns the number of a port on the path, and records that the flow passes it.
func (p *proving) port(device, name string, at int, s judge.Shots, flow int) int {
	for i := range p.ports {
		if o := &p.ports[i]; o.Device == device && o.Port == name && o.at == at {
			o.flows = append(o.flows, flow)
			return i
		}
	}
	class := p.class.Priority
	if n := s.Nic(name); n != nil && n.Effect != nil && (at == switchIn || at == switchOut) && len(p.class.DSCP) > 0 {
		if to, ok := n.Effect.DSCP[p.class.DSCP[0]]; ok && n.Effect.Trust.Or("") != "none" {
			class = to // the queue of the mark, according to the switch itself
		}
	}
	p.ports = append(p.ports, Port{Device: device, Port: name, at: at, Shots: s, flows: []int{flow}, class: class,
		peer: -1})
	return len(p.ports) - 1
}

// join records that a link connects two ports; -1: a port that is not known.
func (p *proving) join(a, b int) {
	if a >= 0 {
		p.ports[a].peer, p.ports[b].peer = b, a
	}
}

// flowOf returns what all streams of a flow sent and lost.
func flowOf(e *record.Experiment, f record.Flow, number int, streams []record.Stream) proofFlow {
	out := proofFlow{from: f.From, to: f.To, background: f.Class == record.BestEffort}
	size := int64(0)
	if n, err := unit.ParseBytes(cmp.Or(e.InEffect["size"], e.Settings["size"])); err == nil {
		size = int64(n)
	}
	var sent, received, packets, lost int64
	ok, counted, known := true, true, true
	n, rdma := 0, method.Named(e.Repeats[len(e.Repeats)-1].InEffect["class_traffic"]).UsesRDMA && !out.background
	for _, s := range streams {
		if s.Flow != number {
			continue
		}
		n++
		if rdma { // the devices count the losses
			known, ok = false, ok && s.Sent > 0
			sent, received = sent+s.Sent, received+s.Received
			if s.Packets != nil {
				packets += *s.Packets
			} else {
				counted = false
			}
			continue
		}
		if s.Total != nil { // datagrams
			sent, received, packets = sent+*s.Total*size, received+s.Received, packets+*s.Total
			if ok = ok && size > 0; s.Missing != nil {
				lost += *s.Missing
			} else {
				known = false
			}
			continue
		}
		ok = ok && s.Sent > 0
		sent, received = sent+s.Sent, received+s.Received
		switch k := s.Socket; {
		case k == nil:
			counted, known = false, false
		default:
			if k.Retrans == nil {
				known = false
			} else {
				lost += *k.Retrans
				if k.DSACKDups != nil { // those that had arrived after all
					lost -= min(*k.DSACKDups, *k.Retrans)
				}
			}
			switch {
			case k.SegsOut != nil && k.BytesAcked != nil && *k.BytesAcked > 0:
				packets += int64(float64(s.Sent) * float64(*k.SegsOut) / float64(*k.BytesAcked))
			case k.MSS != nil && *k.MSS > 0:
				packets += s.Sent / *k.MSS
			default:
				counted = false
			}
		}
	}
	if out.why = "the sender's system does not say"; rdma {
		out.why = "linerate-verbs does not say, or the packets are TCP's (iWARP)"
	}
	if n == 0 {
		out.why = "it was not measured"
		return out
	}
	if ok {
		out.sent, out.received = &sent, &received
	}
	if ok && counted {
		out.packets = &packets
	}
	if known {
		out.lost = &lost
	}
	return out
}
