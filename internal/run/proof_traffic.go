package run

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// proofMessage is the size of a WRITE of a proof: large enough that a card is busy with sending, and not with requests.
const proofMessage = 64 * unit.KiB

// classTraffic is what the class of a proof is sent as, and why: RDMA WRITE, or sockets.
type classTraffic struct {
	verbs bool
	why   string
}

// trafficOf chooses what the class of a proof is sent as. It is RDMA where the cards of all its flows are planned with it and have a device. look gives what a
// host says of itself; nil: nothing.
func (c *Cell) trafficOf(look func(host string) *facts.Facts) classTraffic {
	if t := c.Exp.Settings["transport"]; t != "" {
		return classTraffic{why: "the experiment asks for transport: " + t}
	}
	var devices, without []string
	for i, p := range c.Flows {
		if c.marks[i] == nil {
			continue
		}
		from, to := cmp.Or(p.FromPort.RDMA, "none"), cmp.Or(p.ToPort.RDMA, "none")
		if from != to && from != "none" && to != "none" {
			return classTraffic{why: fmt.Sprintf("%s is planned with RDMA over %s, and %s with %s", p.FromPort.ID, from, p.ToPort.ID, to)}
		}
		for _, port := range []*plan.Port{p.FromPort, p.ToPort} {
			device, why := rdmaOf(port, look(port.Host))
			switch {
			case why != "" && !slices.Contains(without, why):
				without = append(without, why)
			case why == "" && !slices.Contains(devices, device):
				devices = append(devices, device)
			}
		}
	}
	if len(without) > 0 {
		return classTraffic{why: strings.Join(without, "; ")}
	}
	return classTraffic{verbs: true, why: "the cards are planned with RDMA and have a device: " + strings.Join(devices, ", ")}
}

// rdmaOf is the RDMA device of a port, or why RDMA cannot be sent from it.
func rdmaOf(port *plan.Port, f *facts.Facts) (device, why string) {
	if port.RDMA == "" {
		return "", fmt.Sprintf("%s is not planned with RDMA (rdma: rocev2)", port.ID)
	}
	if f == nil {
		return "", fmt.Sprintf("%s says nothing of its RDMA devices", port.Host)
	}
	for _, d := range f.RDMA {
		for _, p := range d.Ports {
			if p.Interface.Or("") == port.Interface && port.Interface != "" {
				return port.Host + " " + d.Name, ""
			}
		}
	}
	return "", fmt.Sprintf("%s has no RDMA device on %s", port.Host, cmp.Or(port.Interface, port.ID))
}

// overVerbs makes the spec of a flow of the class that of a WRITE: marked as the class is, in its traffic class (RoCE, iWARP) and its service level
// (InfiniBand, and the priority of a VLAN's tag).
func (c *Cell) overVerbs(s *Spec, lab bool) {
	s.Method, s.Transport, s.UDP, s.ClassMark = Verbs, traffic.RDMA, traffic.UDPOptions{}, nil
	s.Size = cmp.Or(s.Size, proofMessage)
	s.Verbs = traffic.VerbsOptions{Op: traffic.OpWrite, Metric: traffic.MetricGoodput, Link: wantedLink(c.Path.FromPort)}
	s.Verbs.Level = max(0, c.class.Priority)
	if len(c.class.DSCP) > 0 {
		s.Verbs.Class = c.class.DSCP[0] << 2
		if s.Verbs.Link != traffic.LinkIWARP { // its TCP says itself whether it heeds marks
			s.Verbs.Class |= 2 // ECT(0)
		}
	}
	if lab && s.Verbs.Link == traffic.LinkIB {
		s.Verbs.Link = ""
	}
}

// noVerbs says whether an end failed because its host has no program, or no library, for RDMA.
func noVerbs(err error) bool {
	var e *traffic.Error
	return errors.As(err, &e) && e.Code == traffic.CodeUnsupported && slices.Contains([]string{traffic.VerbsProgram, "libibverbs", "librdmacm", Verbs}, e.Subject)
}

// flowVerbs is what the two ends of a flow of WRITEs saw: its streams and warnings, and what was in effect.
func flowVerbs(f *pairSides) (r record.Repeat, effect map[string]string, err error) {
	if err := joinVerbs(&r, f.spec, f.a, f.b); err != nil {
		return r, nil, err
	}
	effect = map[string]string{}
	verbsInEffect(effect, f.spec, r.Verbs)
	out := map[string]string{"class_traffic": Verbs}
	for _, key := range []string{"op", "transport", "device", "gid", "path_mtu", "depth", "service_level", "traffic_class"} {
		if v := effect[key]; v != "" {
			out["class_"+key] = v
		}
	}
	return r, out, nil
}

// sentAs notes what the class of a proof was sent as.
func (c *Cell) sentAs(r *record.Repeat) {
	if r.InEffect == nil {
		r.InEffect = map[string]string{}
	}
	if !c.sends.verbs {
		r.InEffect["class_traffic"] = cmp.Or(c.Exp.Settings["transport"], traffic.TCP)
	}
	r.InEffect["class_traffic_why"] = c.sends.why
}
