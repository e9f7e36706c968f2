package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/device"
	"linerate/internal/device/families"
	"linerate/internal/record"
)

// HostGaps returns what config leaves out of a host.
func (p *Plan) HostGaps(h *Host) device.Gaps {
	line := 0
	if h.Decl != nil {
		line = h.Decl.At.Line
	}
	c := device.NewCollector("host "+h.Name, line)
	system := families.OfHost(h.OS)
	switch {
	case h.OS == "":
		c.Warn("", "write os: "+oneOf(families.ConfiguredHosts()), "the file does not say its system").LeaveOut()
	case system == nil || system.Host.Gaps == nil:
		title := h.OS
		if system != nil {
			title = system.Title
		}
		c.Warn("", "set its addresses by hand, they are in the plan",
			"there is no documented way to configure %s here", title).LeaveOut()
	default:
		system.Host.Gaps(c, p.asHost(h))
	}
	return c.Gaps()
}

// SwitchGaps returns what config leaves out of a switch.
func (p *Plan) SwitchGaps(s *Switch) device.Gaps {
	line := 0
	if s.Decl != nil {
		line = s.Decl.At.Line
	}
	c := device.NewCollector("switch "+s.Name, line)
	ports, infiniBand := p.Ethernet(s)
	if infiniBand > 0 && len(ports) == 0 {
		return nil // InfiniBand has its own flow control and none of these settings
	}
	p.modelGaps(c, s, ports)
	system := s.system()
	switch {
	case system != nil:
	case s.System() == "":
		c.Warn("", "write os: "+oneOf(families.Switches()), "neither the file nor the catalogue says its system").
			LeaveOut()
	default:
		c.Warn("", "what it has to do is in the plan",
			"there is no documented way to configure %s here", s.System()).LeaveOut()
	}
	if system == nil {
		return c.Gaps()
	}
	mtuGaps(c, system, ports)
	view := p.asSwitch(s, ports)
	if system.Switch.PortNameGaps != nil {
		system.Switch.PortNameGaps(c, view)
	}
	if !c.Gaps().LeavesOut() { // further gaps of a switch that is left out do not matter
		system.Switch.Gaps(c, view)
	}
	return c.Gaps()
}

// oneOf lists the choices: "a, b or c".
func oneOf(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// tagBytes is the size of a VLAN tag.
const tagBytes = 4

// modelGaps compares the plan with what the model can do, whatever its system.
func (p *Plan) modelGaps(c *device.Collector, s *Switch, ports []SwitchPort) {
	if s.Part == nil || s.Part.Switch == nil {
		return
	}
	info := s.Part.Switch
	if limit, ok := info.L2MTU.Get(); ok {
		for _, x := range ports {
			need := x.MTU
			if x.VLAN != 0 {
				need += tagBytes
			}
			if need > limit {
				c.Error("", "lower mtu", "packets of %d bytes are to go through it, and the largest that %s takes is %d",
					need, s.Part.Name, limit).By(device.RuleMTU)
				break
			}
		}
	}
	q := p.QoS()
	if q == nil || len(ports) == 0 {
		return
	}
	name := s.Part.Name
	if info.Chip != "" {
		name += " (" + info.Chip + ")"
	}
	if lossless := q.Lossless(); len(lossless) > 0 && !info.PFC.Or(true) {
		c.Error("", "take a switch with PFC, or make the class lossless: false", "class %s asks for PFC, and %s has none",
			q.Class(lossless[0]).Name, name).By(device.RuleLossless)
		return
	}
	for _, x := range q.Classes {
		if x.ECN && !info.ECN.Or(true) {
			c.Error("", "take a switch with ECN, or write ecn: false", "class %s asks for ECN, and %s has none",
				x.Name, name).By(device.RuleLossless)
			return
		}
	}
}

// mtuGaps compares the MTU of each port with the maximum of the system.
func mtuGaps(c *device.Collector, system *device.System, ports []SwitchPort) {
	limit := system.Switch
	over := map[int]int{} // ports by MTU
	for _, x := range ports {
		if limit.MTU > 0 && x.MTU > limit.MTU {
			over[x.MTU]++
		}
	}
	for _, mtu := range slices.Sorted(maps.Keys(over)) {
		fix := fmt.Sprintf("write mtu: %d or less", limit.MTU)
		if limit.MTUMost {
			c.Error("", fix, "the plan has MTU %d on %d of its ports, and the most that %s takes is %d (%s)",
				mtu, over[mtu], system.Title, limit.MTU, limit.MTUFrom).By(device.RuleMTU)
			continue
		}
		c.Warn("", fix+", or raise it by hand if the switch takes it",
			"the plan has MTU %d on %d of its ports, and the most that is documented for %s is %d (%s): config leaves their "+
				"MTU alone", mtu, over[mtu], system.Title, limit.MTU, limit.MTUFrom).By(device.RuleMTU)
	}
}

// gaps reports the gaps of all devices that belong to a rule, switches first.
func (c *checkup) gaps(rule string) {
	if c.byRule == nil {
		c.byRule = map[string][]record.Problem{}
		keep := func(gaps device.Gaps) {
			for _, x := range gaps {
				c.byRule[x.Rule] = append(c.byRule[x.Rule], x.Problem())
			}
		}
		for _, s := range c.p.Switches {
			keep(c.p.SwitchGaps(s))
		}
		for _, h := range c.p.Hosts {
			keep(c.p.HostGaps(h))
		}
	}
	c.found = append(c.found, c.byRule[rule]...)
}

// collect reports what a system adds to a rule of its own that is not a gap of the configuration.
func (c *checkup) collect(subject string, line int, add func(*device.Collector)) {
	gaps := device.NewCollector(subject, line)
	add(gaps)
	for _, x := range gaps.Gaps() {
		c.found = append(c.found, x.Problem())
	}
}

// ruleConfig reports what config leaves out of a device.
var ruleConfig = Rule{ID: device.RuleConfig, Title: "what config cannot tell each host and switch",
	Why:   "what no command sets stays as the device has it by itself, whatever its neighbours are set to",
	Worst: record.Error, check: func(c *checkup) { c.gaps(device.RuleConfig) }}

// asSwitch returns a switch as its system reads it.
func (p *Plan) asSwitch(s *Switch, ports []SwitchPort) *device.Switch {
	out := &device.Switch{Part: s.Part, Version: s.Release(), QoS: p.QoS()}
	for _, x := range ports {
		port := device.SwitchPort{ID: x.ID, Index: x.Index, Lane: x.Lane, Speed: x.Speed, Link: x.Link}
		if link := p.Link(x.Link); link != nil {
			port.Cable = link.LengthM
			port.ToSwitch = link.Ends[0].Switch != "" && link.Ends[1].Switch != ""
		}
		out.Ports = append(out.Ports, port)
	}
	return out
}

// asHost returns a host as its system reads it.
func (p *Plan) asHost(h *Host) *device.Host {
	out := &device.Host{Name: h.Name, OS: h.OS, Version: h.Decl.Version, Settings: map[string]string{}, QoS: p.QoS()}
	for key, value := range h.Decl.Settings {
		if !slices.Contains(forwardingKeys, key) { // these describe the host and need no configuration
			out.Settings[key] = value
		}
	}
	bonds := map[*fabric.Bond]*device.Bond{}
	for _, b := range h.Decl.Bonds {
		bonds[b] = &device.Bond{Name: b.Name, Mode: b.Mode, Line: b.At.Line}
		out.Bonds = append(out.Bonds, bonds[b])
	}
	used, linked, classed := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, s := range h.Settings {
		used[s.Interface] = true
		for _, m := range s.Of {
			used[m] = true
		}
		switch s.Kind {
		case SetLink:
			linked[s.Interface] = true
		case SetQoS:
			classed[s.Interface] = true
		case SetBond:
			out.Made = append(out.Made, device.MadeInterface{Name: s.Interface})
		case SetVLAN:
			out.Made = append(out.Made, device.MadeInterface{Name: s.Key, Over: s.Interface, VLAN: s.Int})
		}
	}
	for _, x := range h.Ports {
		link := p.Link(x.Link)
		out.Ports = append(out.Ports, device.Port{ID: x.ID, Interface: x.Interface, Declared: x.Declared, Part: x.Part,
			Address: x.Address, VLAN: x.VLAN, Plugged: x.Link != "" || x.Address.IsValid(), NIC: nic(h, x.NIC) != nil,
			Used: used[x.Interface], Linked: linked[x.Interface], Classed: classed[x.Interface], Classes: h.carriesClasses(x),
			InfiniBand: link != nil && link.InfiniBand, RoCEv2: h.SpeaksRoCEv2(x), RDMA: p.asksRDMA(h, x),
			Bond: bonds[bondNamed(h, x.NIC)]})
	}
	return out
}

// SpeaksRoCEv2 reports whether a port is to send RoCE v2, whose packets carry a DSCP.
func (h *Host) SpeaksRoCEv2(p *Port) bool {
	if n := nic(h, p.NIC); n != nil && n.RDMA != "" {
		return n.RDMA == "rocev2"
	}
	return p.Part != nil && slices.Contains(p.Part.RDMA, "rocev2")
}

// asksRDMA reports whether the file asks for RDMA of a port: at its NIC, or of its host in an experiment.
func (p *Plan) asksRDMA(h *Host, port *Port) bool {
	if n := nic(h, port.NIC); n != nil && n.RDMA != "" {
		return n.RDMA != "none"
	}
	return slices.ContainsFunc(p.Fabric.Experiments, func(e *fabric.Experiment) bool {
		return wantsRDMA(e) && slices.ContainsFunc(slices.Concat(e.On, e.From, e.To), func(end string) bool {
			name, _, _ := strings.Cut(end, ".")
			return name == h.Name
		})
	})
}

// carriesClasses reports whether a port gets the fabric's classes: an Ethernet port that is not a virtual function.
func (h *Host) carriesClasses(p *Port) bool {
	n := nic(h, p.NIC)
	return n != nil && n.VF == "" && n.Mode != "ib"
}
