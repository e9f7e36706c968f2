package network

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/failure"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic"
	verbs "linerate/internal/traffic/rdma"
)

// losslessMessage is the size of a WRITE of a lossless test: large enough that an adapter is busy with sending, and not
// with requests.
const losslessMessage = 64 * unit.KiB

// classTransport is the transport of a lossless class, and the reason: RDMA WRITE, or sockets.
type classTransport struct {
	rdma bool
	why  string
}

// transportOf chooses the transport of the class. It is RDMA where the adapters of all its flows are planned with it
// and have a device. look returns the facts of a host; nil: none.
func (m *lossless) transportOf(look func(host string) *facts.Facts) classTransport {
	if t := m.c.Record.Settings["transport"]; t != "" {
		return classTransport{why: "the experiment asks for transport: " + t}
	}
	var devices, without []string
	for i, p := range m.flows {
		if m.marks[i] == nil {
			continue
		}
		from, to := cmp.Or(p.FromPort.RDMA, "none"), cmp.Or(p.ToPort.RDMA, "none")
		if from != to && from != "none" && to != "none" {
			return classTransport{
				why: fmt.Sprintf("%s is planned with RDMA over %s, and %s with %s", p.FromPort.ID, from, p.ToPort.ID, to),
			}
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
		return classTransport{why: strings.Join(without, "; ")}
	}
	return classTransport{rdma: true,
		why: "the NICs are planned with RDMA and have a device: " + strings.Join(devices, ", ")}
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

// overRDMA makes a flow of the class a WRITE with the marks of the class: in its traffic class (RoCE, iWARP) and its
// service level (InfiniBand, and the priority of a VLAN's tag).
func (m *lossless) overRDMA(s *Spec, from *plan.Port, lab bool) {
	s.Method, s.Transport, s.UDP, s.ClassMark = method.RDMA, traffic.RDMA, traffic.UDPOptions{}, nil
	s.Size = cmp.Or(s.Size, losslessMessage)
	s.RDMA = traffic.VerbsOptions{Op: traffic.OpWrite, Metric: traffic.MetricGoodput, Link: experiment.PlannedLink(from)}
	s.RDMA.Level = max(0, m.class.Priority)
	if len(m.class.DSCP) > 0 {
		s.RDMA.Class = m.class.DSCP[0] << 2
		if s.RDMA.Link != traffic.LinkIWARP { // iWARP's TCP negotiates ECN itself
			s.RDMA.Class |= 2 // ECT(0)
		}
	}
	if lab && s.RDMA.Link == traffic.LinkIB {
		s.RDMA.Link = ""
	}
}

// isWithoutRDMA reports whether an end failed because its host has no program, or no library, for RDMA.
func isWithoutRDMA(err error) bool {
	var e *failure.Error
	return errors.As(err, &e) && e.Code == failure.CodeUnsupported &&
		slices.Contains([]string{verbs.Program, "libibverbs", "librdmacm", method.RDMA}, e.Subject)
}

// joinRDMAFlow combines the results of the two ends of a flow of WRITEs: its streams and warnings, and what was in
// effect.
func joinRDMAFlow(f *flow) (r record.Repeat, effect map[string]string, err error) {
	if err := joinRDMA(&r, f.spec, f.from, f.to); err != nil {
		return r, nil, err
	}
	effect = map[string]string{}
	rdmaInEffect(effect, f.spec, r.Verbs)
	out := map[string]string{"class_traffic": method.RDMA}
	keys := []string{"op", "transport", "device", "gid", "path_mtu", "depth", "service_level", "traffic_class"}
	for _, key := range keys {
		if v := effect[key]; v != "" {
			out["class_"+key] = v
		}
	}
	return r, out, nil
}

// sentAs records the transport of the class.
func (m *lossless) sentAs(r *record.Repeat) {
	if r.InEffect == nil {
		r.InEffect = map[string]string{}
	}
	if !m.sends.rdma {
		r.InEffect["class_traffic"] = cmp.Or(m.c.Record.Settings["transport"], traffic.TCP)
	}
	r.InEffect["class_traffic_why"] = m.sends.why
}
