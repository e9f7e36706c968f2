package rdma

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/ceiling"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// verbsEnd returns the record of an end's RDMA; nil: nothing was measured there.
func verbsEnd(c *judge.Case, side judge.Side) *record.VerbsEnd {
	if c.Exp.Verbs == nil {
		return nil
	}
	return xslices.At(c.Exp.Verbs.Ends, func(e *record.VerbsEnd) bool { return e.Host == side.Host })
}

// rdmaDevice returns the RDMA device port of an end in a snapshot: the one in the record, or else the one of the
// planned interface. name is as in the counters: rxe0, mlx5_0/2. nil: there is none, or it is not known which.
func rdmaDevice(c *judge.Case, side judge.Side, f *facts.Facts) (name string, port *facts.RDMAPort) {
	if f == nil {
		return "", nil
	}
	end := verbsEnd(c, side)
	for i := range f.RDMA {
		for j := range f.RDMA[i].Ports {
			p := &f.RDMA[i].Ports[j]
			switch {
			case end != nil && (f.RDMA[i].Name != end.Device || p.Port != end.Port):
			case end == nil && (side.Port == nil || p.Interface.Or("") != side.Port.Interface):
			default:
				return rdmaName(f.RDMA[i].Name, p.Port), p
			}
		}
	}
	return "", nil
}

// rdmaName returns the name of an RDMA device port in counters.
func rdmaName(device string, port int) string {
	if port > 1 {
		return device + "/" + strconv.Itoa(port)
	}
	return device
}

// rdmaCount is a counter of an end's RDMA device that grew more than without load.
type rdmaCount struct {
	side   judge.Side
	device string
	name   string // out_of_seq_request
	judge.Growth
}

// rdmaWords explains the counters whose name does not. Source: drivers/infiniband/sw/rxe (rxe_resp.c, rxe_comp.c);
// NVIDIA, "Understanding mlx5 Linux Counters and Status Parameters".
var rdmaWords = map[string]string{"out_of_seq_request": "packets came behind one that was missing",
	"out_of_sequence":     "packets came behind one that was missing",
	"oos_drop_count":      "packets came behind one that was missing",
	"rcvd_seq_err":        "times the other end said that a packet was missing",
	"packet_seq_err":      "times the other end said that a packet was missing",
	"seq_err_naks_rcvd":   "times the other end said that a packet was missing",
	"implied_nak_seq_err": "times an answer showed that one before it was missing",
	"completer_retry_err": "times requests were retransmitted", "to_retransmits": "times requests were retransmitted",
	"local_ack_timeout_err": "times no acknowledgement came in time",
	"duplicate_request":     "requests came that it had already"}

func (k rdmaCount) evidence() record.Evidence {
	text := fmt.Sprintf("%s of %s grew by %.0f", k.name, k.device, k.Net)
	if w := rdmaWords[k.name]; w != "" {
		text += ": " + w
	}
	return record.Evidence{Host: k.side.Host, Source: "hw_counters of " + k.device, Counter: k.name, Before: new(0.0),
		After: new(k.Net), IdlePerSecond: k.Idle, Unit: "packets", Text: text}
}

// rdmaCounts returns the counters of an end's RDMA device that counts selects and that grew. why is the reason why they
// are not known; empty: they are.
func rdmaCounts(c *judge.Case, side judge.Side, counts func(name string) bool) (list []rdmaCount, why string) {
	device, port := rdmaDevice(c, side, side.Shots.After)
	if port == nil {
		return nil, side.Host + ": its RDMA device is not in its snapshots"
	}
	names := map[string]bool{}
	for _, counters := range []map[string]uint64{port.Counters, port.HWCounters} {
		for name := range counters {
			names[name] = true
		}
	}
	some := false
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !counts(name) {
			continue
		}
		some = true
		g, w := side.DeltaOn(device, "rdma."+name)
		if w != "" {
			why = w
			continue
		}
		if g.Net >= 0.5 {
			list = append(list, rdmaCount{side, device, name, g})
		}
	}
	if !some {
		why = fmt.Sprintf("%s: %s does not count packets out of sequence", side.Host, device)
	}
	return list, why
}

// PathMTU returns the path MTU in effect, the smaller of both ends; 0: not known.
func PathMTU(c *judge.Case) int {
	mtu := int64(0)
	for _, side := range []judge.Side{c.Sender, c.Receiver} {
		e := verbsEnd(c, side)
		if e == nil || e.PathMTU <= 0 {
			return 0
		}
		if mtu == 0 || e.PathMTU < mtu {
			mtu = e.PathMTU
		}
	}
	return int(mtu)
}

// Link returns the RDMA protocol of the ends: ib, rocev1, rocev2 or iwarp; empty: not known.
func Link(c *judge.Case) string {
	if e := verbsEnd(c, c.Sender); e != nil {
		return e.Link
	}
	return wantedRDMA(c)
}

// wantedRDMA returns the RDMA protocol that the experiment or the plan configures; empty: neither does.
func wantedRDMA(c *judge.Case) string {
	for _, p := range []judge.Side{c.Sender, c.Receiver} {
		if set := c.Exp.Settings["transport"]; set != "" {
			return set
		}
		if p.Port != nil && p.Port.RDMA != "" {
			return p.Port.RDMA
		}
	}
	return ""
}

// InPackets describes the packets in sentences about ceilings of RDMA: " in packets of 4096 bytes (path MTU)". Empty:
// there is no path MTU.
func InPackets(c *judge.Case) string {
	if mtu := PathMTU(c); mtu > 0 && Link(c) != "iwarp" {
		return fmt.Sprintf(" in packets of %d bytes (path MTU)", mtu)
	}
	return ""
}

// WithPathMTU returns the lowest ceiling of the chain with RDMA packets of this size, in bits per second; 0: not known.
func WithPathMTU(c *judge.Case, mtu int) float64 {
	was := PathMTU(c)
	if c.Chain == nil || was <= 0 || mtu <= 0 || c.Ceiling <= 0 {
		return 0
	}
	lowest := 0.0
	for _, h := range c.Chain.Hops {
		r, ok := h.Rate.Get()
		if !ok {
			continue
		}
		v := float64(r)
		if h.Layer == record.LayerWire {
			v *= rdmaShare(c, mtu) / rdmaShare(c, was)
		}
		if lowest == 0 || v < lowest {
			lowest = v
		}
	}
	if c.Exp.Direction == "both" {
		lowest /= 2
	}
	return lowest
}

// rdmaShare returns the payload's share of a wire's rate, at a path MTU.
func rdmaShare(c *judge.Case, mtu int) float64 {
	const whole = 1e12
	var got ceiling.Ceiling
	var err error
	switch link := Link(c); link {
	case "ib":
		got, err = ceiling.InfiniBandAt(whole, mtu)
	case "rocev1", "rocev2":
		size, _ := unit.ParseBytes(cmp.Or(c.Exp.InEffect["size"], c.Exp.Settings["size"])) // 0: long ones
		version := unit.If(link == "rocev1", 1, 2)
		got, err = ceiling.RDMAOverEthernet(whole, ceiling.RoCE{Version: version, PathMTU: mtu, Message: size,
			Send: c.Exp.Settings["op"] == "send"})
	default:
		return 1
	}
	if err != nil {
		return 1
	}
	return float64(got.Rate) / whole
}

// RecordCounters adds the counters of both ends' RDMA devices over the experiment to the record.
func RecordCounters(c *judge.Case) {
	if c.Exp.Verbs == nil {
		return
	}
	for _, side := range []judge.Side{c.Sender, c.Receiver} {
		end := verbsEnd(c, side)
		if end == nil {
			continue
		}
		end.Counters = nil
		list, _ := rdmaCounts(c, side, func(string) bool { return true })
		note := func(name string, g judge.Growth) {
			if g.Gross < 1 {
				return
			}
			if end.Counters == nil {
				end.Counters = map[string]int64{}
			}
			end.Counters[name] = int64(g.Gross)
		}
		for _, k := range list {
			note(k.name, k.Growth)
		}
		nic := side.NIC()
		if nic == nil {
			continue
		}
		for name := range nic.Driven {
			if strings.Contains(name, "_prio") {
				if g, why := c.Delta(side, name); why == "" {
					note(name, g)
				}
			}
		}
	}
}
