package facts

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// options divides "-i eth0 --pfc=0,0,0,1 --trust dscp" into names without their dashes and values; what ends a command ends it.
func options(words []string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == ";" || w == "|" || w == "&" || w == ">" {
			break
		}
		name := strings.TrimLeft(w, "-")
		if name == w || name == "" {
			continue
		}
		name, value, ok := strings.Cut(name, "=")
		if !ok && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
			i++
			value = words[i]
		}
		out[name] = value
	}
	return out
}

// firstOption is the first of the names that an option has.
func firstOption(o map[string]string, names ...string) string {
	for _, n := range names {
		if v := o[n]; v != "" {
			return v
		}
	}
	return ""
}

// mlnxQoS is mlnx_qos -i X with what it sets.
func (s *script) mlnxQoS(words []string, p Proof) bool {
	o := options(words)
	nic := firstOption(o, "i", "interface")
	if nic == "" || len(o) < 2 {
		return false
	}
	list := func(names ...string) []string {
		if v := firstOption(o, names...); v != "" {
			return strings.Split(strings.TrimSuffix(v, ","), ",")
		}
		return nil
	}
	return s.each(nic, func(c *Classes) {
		if v := o["trust"]; v == "dscp" || v == "pcp" || v == "both" {
			c.Trust = known(v)
			c.says("trust", p, true)
		}
		if v := list("f", "pfc"); len(v) == 8 {
			c.mlnxPFC(v, p)
		}
		if v := list("dscp2prio"); len(v) == 3 {
			point, ok := upTo(v[1], 63)
			priority, ok2 := upTo(v[2], 7)
			switch {
			case ok && ok2 && v[0] == "set":
				putInt(&c.DSCP, point, priority)
				c.says("dscp "+strconv.Itoa(point), p, true)
			case ok && v[0] == "del":
				delete(c.DSCP, point)
			}
		} else if slices.Equal(v, []string{"flush"}) {
			c.DSCP = map[int]int{}
		}
		for key, names := range map[string][]string{"prio-tc": {"p", "prio_tc"}, "tc-tsa": {"s", "tsa"}, "tc-bw": {"t", "tcbw"}, "prio-buffer": {"prio2buffer"}} {
			if v := list(names...); v != nil {
				c.dcb(dcbItem{key, byPosition(v)}, p, true)
			}
		}
		if v := firstOption(o, "buffer_size"); v != "" {
			c.Buffers = nil
			c.buffers(v, p)
		}
	})
}

// lldptool -T -i X -V PFC|ETS-CFG|APP key=value ..
func (s *script) lldptool(words []string, p Proof) bool {
	o := options(words)
	nic, part := o["i"], o["V"]
	if !slices.Contains(words, "-T") || nic == "" || part == "" {
		return false
	}
	return s.each(nic, func(c *Classes) {
		c.agent("lldpad", p)
		for _, w := range words {
			key, value, ok := strings.Cut(w, "=")
			switch list := strings.Split(value, ","); {
			case !ok:
			case key == "willing":
				c.Willing = known(value == "yes" || value == "1")
				c.says("willing", p, true)
			case key == "enabled" && part == "PFC":
				on := []int{}
				for _, w := range list {
					if n, ok := upTo(w, 7); ok {
						on = append(on, n)
					}
				}
				c.pfc(on, p)
			case key == "up2tc":
				c.dcb(dcbItem{"prio-tc", list}, p, true)
			case key == "tsa":
				c.dcb(dcbItem{"tc-tsa", list}, p, true)
			case key == "tcbw":
				c.dcb(dcbItem{"tc-bw", byPosition(list)}, p, true)
			case key == "app" && len(list) == 3 && list[1] == "5": // priority, selector (5: DSCP), code point
				c.codePoints([]string{list[2] + ":" + list[0]}, p, true)
			}
		}
	})
}

// mark stores the type of service that RoCE is to be sent with, of the interfaces of an RDMA device.
func (s *script) mark(device, tos string, p Proof) bool {
	n, ok := upTo(tos, 255)
	if !ok {
		return false
	}
	var nics []string
	if m := variable.FindStringSubmatch(device); m != nil {
		nics = s.rdma[m[1]]
	}
	for _, name := range nics {
		c := s.f.askedOf(name)
		c.ToS = known(n)
		c.says("tos", p, true)
	}
	if len(nics) > 0 {
		return true
	}
	for _, name := range s.values(device) {
		if s.f.marks == nil {
			s.f.marks = map[string]rdmaMark{}
		}
		s.f.marks[name] = rdmaMark{n, p}
		ok = true
	}
	return ok
}

// rdmaMark is a type of service asked for an RDMA device whose interface the script does not name.
type rdmaMark struct {
	tos   int
	proof Proof
}

// cmaToS is cma_roce_tos -d DEVICE -p PORT -t 106.
func (s *script) cmaToS(words []string, p Proof) bool {
	o := options(words)
	return o["d"] != "" && s.mark(o["d"], o["t"], p)
}

// setClass is set_class DEVICE PORT 106 of linerate's scripts.
func (s *script) setClass(words []string, p Proof) bool {
	return len(words) >= 3 && s.mark(words[0], words[2], p)
}

// setECN is set_ecn X 3 of linerate's scripts: both points of congestion.
func (s *script) setECN(words []string, p Proof) bool {
	if len(words) < 2 {
		return false
	}
	priority, ok := upTo(words[1], 7)
	return ok && s.each(words[0], func(c *Classes) {
		c.point("np", priority, true, p)
		c.point("rp", priority, true, p)
	})
}

var (
	ecnFile   = lazyregexp.New(`/sys/class/net/([^/]+)/ecn/roce_([nr]p)/enable/([0-7])$`)
	classFile = lazyregexp.New(`/sys/class/infiniband/([^/]+)/tc/\d+/traffic_class$`)
	tosFile   = lazyregexp.New(`/rdma_cm/([^/]+)/ports/\d+/default_roce_tos$`)
	trustFile = lazyregexp.New(`/sys/class/net/([^/]+)/qos/trust$`)
)

// echo VALUE > FILE, or echo VALUE | tee FILE.
func (s *script) echo(words []string, p Proof) bool {
	if words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "-n" || w == "sudo" || w == "tee" || w == "-a" }); len(words) < 3 || words[1] != ">" && words[1] != "|" {
		return false
	}
	file := words[len(words)-1]
	for i, w := range words[2:] {
		if strings.Contains(w, "/") {
			file = words[2+i]
			break
		}
	}
	if m := ecnFile.FindStringSubmatch(file); m != nil && (words[0] == "0" || words[0] == "1") {
		priority, _ := strconv.Atoi(m[3])
		return s.each(m[1], func(c *Classes) { c.point(m[2], priority, words[0] == "1", p) })
	}
	if m := trustFile.FindStringSubmatch(file); m != nil && (words[0] == "dscp" || words[0] == "pcp") {
		return s.each(m[1], func(c *Classes) {
			c.Trust = known(words[0])
			c.says("trust", p, true)
		})
	}
	for _, of := range []*lazyregexp.Regexp{classFile, tosFile} {
		if m := of.FindStringSubmatch(file); m != nil {
			return s.mark(m[1], strings.TrimPrefix(words[0], "tclass="), p)
		}
	}
	return false
}

// point stores whether a host marks (np: notification point) or slows down (rp: reaction point) for a priority; only both make ECN.
func (c *Classes) point(which string, priority int, on bool, p Proof) {
	if c.points == nil {
		c.points = map[string]bool{}
	}
	c.points[which+" "+strconv.Itoa(priority)] = on
	c.says("ecn "+strconv.Itoa(priority), p, !on) // of two lines that which is off counts
}

// settleClasses finishes what only several lines together say.
func settleClasses(f *Facts) {
	for device, m := range f.marks {
		if d := f.RDMADevice(device); d != nil {
			for i := range d.Ports {
				if name, ok := d.Ports[i].Interface.Get(); ok && f.NIC(name) != nil {
					c := f.askedOf(name)
					c.ToS = known(m.tos)
					c.says("tos", m.proof, true)
				}
			}
		}
	}
	for i := range f.RDMA {
		for j := range f.RDMA[i].Ports {
			p := &f.RDMA[i].Ports[j]
			name, ok := p.Interface.Get()
			if tos, said := p.ToS.Get(); ok && said && f.NIC(name) != nil {
				f.effect(name).ToS = known(tos)
				f.effect(name).proves("tos", p.Proofs["tos"])
			}
		}
	}
	for i := range f.NICs {
		n := &f.NICs[i]
		for _, c := range []*Classes{n.Asked, n.Effect} {
			if c != nil {
				c.settle()
			}
		}
		if c := n.Effect; c != nil && !c.Trust.IsKnown() && len(c.DSCP) > 0 && strings.HasPrefix(n.Driver.Or(""), "mlx5") {
			c.Trust = known("dscp") // mlx5 trusts what its map has
			c.proves("trust", c.anyPoint())
		}
		if c := n.Asked; c != nil && !c.Trust.IsKnown() && len(c.DSCP) > 0 {
			c.Trust = known("dscp")
			c.proves("trust", c.anyPoint())
		}
	}
}

func (c *Classes) anyPoint() Proof {
	for point := range 64 {
		if p, ok := c.Proofs["dscp "+strconv.Itoa(point)]; ok {
			return p
		}
	}
	return Proof{}
}

// settle gives ECN to its queues.
func (c *Classes) settle() {
	for priority := range 8 {
		np, ok := c.points["np "+strconv.Itoa(priority)]
		rp, ok2 := c.points["rp "+strconv.Itoa(priority)]
		class := priority
		if k, ok := c.Priorities[priority]; ok {
			class = k
		}
		switch {
		case ok && !np || ok2 && !rp:
			c.queue(class, func(q *Queue) { q.ECN = known(false) })
		case ok && ok2:
			c.queue(class, func(q *Queue) { q.ECN = known(true) })
		case ok || ok2:
			c.queue(class, func(q *Queue) { q.ECN = unit.Unknown[bool]("of the two points (roce_np, roce_rp) one is not known") })
		}
	}
}
