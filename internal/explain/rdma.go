package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// verbsEnd is what the record says of an end's RDMA; nil: nothing was measured there.
func (c *Case) verbsEnd(side Side) *record.VerbsEnd {
	if c.Exp.Verbs == nil {
		return nil
	}
	for i, e := range c.Exp.Verbs.Ends {
		if e.Host == side.Host {
			return &c.Exp.Verbs.Ends[i]
		}
	}
	return nil
}

// rdmaDevice is the port of an RDMA device that an end works by, as a capture has it: the one of the record, else the one over the planned
// interface. name is as in readings: rxe0, mlx5_0/2. nil: there is none, or it is not known which.
func (c *Case) rdmaDevice(side Side, f *facts.Facts) (name string, port *facts.RDMAPort) {
	if f == nil {
		return "", nil
	}
	end := c.verbsEnd(side)
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

// rdmaName is how counters call a port of an RDMA device.
func rdmaName(device string, port int) string {
	if port > 1 {
		return device + "/" + strconv.Itoa(port)
	}
	return device
}

// rdmaReadings finds a counter of the port of an RDMA device in two captures: of hw_counters, else of counters.
func rdmaReadings(subject, counter string, a, b *facts.Facts) (was, now uint64, narrow bool, why string) {
	find := func(f *facts.Facts) map[string]uint64 {
		device, number, _ := strings.Cut(subject, "/")
		d := f.RDMADevice(device)
		if d == nil {
			return nil
		}
		for _, p := range d.Ports {
			if strconv.Itoa(p.Port) == cmp.Or(number, "1") {
				all := maps.Clone(p.Counters)
				if all == nil {
					all = map[string]uint64{}
				}
				maps.Copy(all, p.HWCounters)
				return all
			}
		}
		return nil
	}
	m, n := find(a), find(b)
	switch {
	case m == nil && n == nil:
		return 0, 0, false, "the host has no such RDMA device"
	case n == nil:
		return 0, 0, false, "the RDMA device was gone afterwards"
	case m == nil:
		return 0, 0, false, "the RDMA device was not there at first"
	}
	return both(m, n, counter)
}

// rdmaCount is a counter of an end's RDMA device that grew beyond what it does without load.
type rdmaCount struct {
	side   Side
	device string
	name   string // out_of_seq_request
	growth
}

// rdmaWords are what a counter counts, for those of which it is not plain.
// Source: drivers/infiniband/sw/rxe (rxe_resp.c, rxe_comp.c); NVIDIA, "Understanding mlx5 Linux Counters and Status Parameters".
var rdmaWords = map[string]string{
	"out_of_seq_request":    "packets came behind one that was missing",
	"out_of_sequence":       "packets came behind one that was missing",
	"oos_drop_count":        "packets came behind one that was missing",
	"rcvd_seq_err":          "times the other end said that a packet was missing",
	"packet_seq_err":        "times the other end said that a packet was missing",
	"seq_err_naks_rcvd":     "times the other end said that a packet was missing",
	"implied_nak_seq_err":   "times an answer showed that one before it was missing",
	"completer_retry_err":   "times requests were sent again",
	"to_retransmits":        "times requests were sent again",
	"local_ack_timeout_err": "times no acknowledgement came in time",
	"duplicate_request":     "requests came that it had already",
}

func (k rdmaCount) evidence() record.Evidence {
	text := fmt.Sprintf("%s of %s grew by %.0f", k.name, k.device, k.Net)
	if w := rdmaWords[k.name]; w != "" {
		text += ": " + w
	}
	return record.Evidence{Host: k.side.Host, Source: "hw_counters of " + k.device, Counter: k.name, Before: ptr(0), After: ptr(k.Net), IdlePerSecond: k.Idle, Unit: "packets", Text: text}
}

// rdmaCounts are the counters of an end's RDMA device that count what is asked for and grew. Why it is not known; empty: it is.
func (c *Case) rdmaCounts(side Side, counts func(name string) bool) (list []rdmaCount, why string) {
	device, port := c.rdmaDevice(side, side.Shots.After)
	if port == nil {
		return nil, side.Host + ": its RDMA device is not in its captures"
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
		g, w := side.deltaOn(device, "rdma."+name)
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

// pathMTU is the path MTU in effect, the smaller of both ends; 0: not known.
func (c *Case) pathMTU() int {
	mtu := int64(0)
	for _, side := range []Side{c.Sender, c.Receiver} {
		e := c.verbsEnd(side)
		if e == nil || e.PathMTU <= 0 {
			return 0
		}
		if mtu == 0 || e.PathMTU < mtu {
			mtu = e.PathMTU
		}
	}
	return int(mtu)
}

// rdmaLink is what the ends speak: ib, rocev1, rocev2 or iwarp; empty: not known.
func (c *Case) rdmaLink() string {
	if e := c.verbsEnd(c.Sender); e != nil {
		return e.Link
	}
	return wantedRDMA(c)
}

// wantedRDMA is what the experiment or the plan asks for; empty: neither says.
func wantedRDMA(c *Case) string {
	for _, p := range []Side{c.Sender, c.Receiver} {
		if set := c.Exp.Settings["transport"]; set != "" {
			return set
		}
		if p.Port != nil && p.Port.RDMA != "" {
			return p.Port.RDMA
		}
	}
	return ""
}

// inPackets says how the payload is cut, for sentences about ceilings of RDMA: " in packets of 4096 bytes (path MTU)". Empty: nobody cuts it so.
func (c *Case) inPackets() string {
	if mtu := c.pathMTU(); mtu > 0 && c.rdmaLink() != "iwarp" {
		return fmt.Sprintf(" in packets of %d bytes (path MTU)", mtu)
	}
	return ""
}

// withPathMTU is the lowest ceiling of the chain as if its wires carried RDMA in packets of that many bytes, in bits per second; 0: not known.
func (c *Case) withPathMTU(mtu int) float64 {
	was := c.pathMTU()
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
			v *= c.rdmaShare(mtu) / c.rdmaShare(was)
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

// rdmaShare is the part of a wire's rate that is payload, at a path MTU.
func (c *Case) rdmaShare(mtu int) float64 {
	const whole = 1e12
	var got ceiling.Ceiling
	var err error
	switch link := c.rdmaLink(); link {
	case "ib":
		got, err = ceiling.InfiniBandAt(whole, mtu)
	case "rocev1", "rocev2":
		size, _ := unit.ParseBytes(cmp.Or(c.Exp.InEffect["size"], c.Exp.Settings["size"])) // 0: long ones
		version := map[bool]int{true: 1, false: 2}[link == "rocev1"]
		got, err = ceiling.RDMAOverEthernet(whole, ceiling.RoCE{Version: version, PathMTU: mtu, Message: size, Send: c.Exp.Settings["op"] == "send"})
	default:
		return 1
	}
	if err != nil {
		return 1
	}
	return float64(got.Rate) / whole
}

// recordCounters puts into the record what the RDMA devices of both ends counted over the experiment.
func (c *Case) recordCounters() {
	if c.Exp.Verbs == nil {
		return
	}
	for _, side := range []Side{c.Sender, c.Receiver} {
		end := c.verbsEnd(side)
		if end == nil {
			continue
		}
		end.Counters = nil
		list, _ := c.rdmaCounts(side, func(string) bool { return true })
		note := func(name string, g growth) {
			if g.Gross < 1 {
				return
			}
			if end.Counters == nil {
				end.Counters = map[string]int64{}
			}
			end.Counters[name] = int64(g.Gross)
		}
		for _, k := range list {
			note(k.name, k.growth)
		}
		nic := side.NIC()
		if nic == nil {
			continue
		}
		for name := range nic.Driven {
			if strings.Contains(name, "_prio") {
				if g, why := c.delta(side, name); why == "" {
					note(name, g)
				}
			}
		}
	}
}
