package parse

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/dcb"
)

// mlnxQoS reads the settings of mlnx_qos -i X.
func (s *script) mlnxQoS(words []string, p facts.Proof) bool {
	o := parse.Options(words)
	nic := parse.FirstOption(o, "i", "interface")
	if nic == "" || len(o) < 2 {
		return false
	}
	list := func(names ...string) []string {
		if v := parse.FirstOption(o, names...); v != "" {
			return strings.Split(strings.TrimSuffix(v, ","), ",")
		}
		return nil
	}
	return s.each(nic, func(c *facts.Classes) {
		if v := o["trust"]; v == "dscp" || v == "pcp" || v == "both" {
			c.Trust = unit.Known(v)
			dcb.Says(c, "trust", p, true)
		}
		if v := list("f", "pfc"); len(v) == 8 {
			dcb.MlnxPFC(c, v, p)
		}
		if v := list("dscp2prio"); len(v) == 3 {
			point, ok := upTo(v[1], 63)
			priority, ok2 := upTo(v[2], 7)
			switch {
			case ok && ok2 && v[0] == "set":
				dcb.PutInt(&c.DSCP, point, priority)
				dcb.Says(c, "dscp "+strconv.Itoa(point), p, true)
			case ok && v[0] == "del":
				delete(c.DSCP, point)
			}
		} else if slices.Equal(v, []string{"flush"}) {
			c.DSCP = map[int]int{}
		}
		for key, names := range map[string][]string{"prio-tc": {"p", "prio_tc"}, "tc-tsa": {"s", "tsa"},
			"tc-bw": {"t", "tcbw"}, "prio-buffer": {"prio2buffer"}} {
			if v := list(names...); v != nil {
				dcb.SetItem(c, dcb.Item{Key: key, Values: dcb.ByPosition(v)}, p, true)
			}
		}
		if v := parse.FirstOption(o, "buffer_size"); v != "" {
			c.Buffers = nil
			dcb.SetBuffers(c, v, p)
		}
	})
}

// lldptool reads lldptool -T -i X -V PFC|ETS-CFG|APP key=value ..
func (s *script) lldptool(words []string, p facts.Proof) bool {
	o := parse.Options(words)
	nic, part := o["i"], o["V"]
	if !slices.Contains(words, "-T") || nic == "" || part == "" {
		return false
	}
	return s.each(nic, func(c *facts.Classes) {
		dcb.SetAgent(c, "lldpad", p)
		for _, w := range words {
			key, value, ok := strings.Cut(w, "=")
			switch list := strings.Split(value, ","); {
			case !ok:
			case key == "willing":
				c.Willing = unit.Known(value == "yes" || value == "1")
				dcb.Says(c, "willing", p, true)
			case key == "enabled" && part == "PFC":
				on := []int{}
				for _, w := range list {
					if n, ok := upTo(w, 7); ok {
						on = append(on, n)
					}
				}
				dcb.SetPFC(c, on, p)
			case key == "up2tc":
				dcb.SetItem(c, dcb.Item{Key: "prio-tc", Values: list}, p, true)
			case key == "tsa":
				dcb.SetItem(c, dcb.Item{Key: "tc-tsa", Values: list}, p, true)
			case key == "tcbw":
				dcb.SetItem(c, dcb.Item{Key: "tc-bw", Values: dcb.ByPosition(list)}, p, true)
			case key == "app" && len(list) == 3 && list[1] == "5": // priority, selector (5: DSCP), code point
				dcb.SetCodePoints(c, []string{list[2] + ":" + list[0]}, p, true)
			}
		}
	})
}

// mark stores the type of service for RoCE on the interfaces of an RDMA device.
func (s *script) mark(device, tos string, p facts.Proof) bool {
	n, ok := upTo(tos, 255)
	if !ok {
		return false
	}
	var nics []string
	if m := variable.FindStringSubmatch(device); m != nil {
		nics = s.rdma[m[1]]
	}
	for _, name := range nics {
		c := s.f.AskedOf(name)
		c.ToS = unit.Known(n)
		dcb.Says(c, "tos", p, true)
	}
	if len(nics) > 0 {
		return true
	}
	for _, name := range s.values(device) {
		marks := parse.StateOf[rdmaMarks](s.f)
		if *marks == nil {
			*marks = rdmaMarks{}
		}
		(*marks)[name] = rdmaMark{n, p}
		ok = true
	}
	return ok
}

// rdmaMark is a type of service for an RDMA device whose interface the script does not name.
type rdmaMark struct {
	tos   int
	proof facts.Proof
}

// cmaToS reads cma_roce_tos -d DEVICE -p PORT -t 106.
func (s *script) cmaToS(words []string, p facts.Proof) bool {
	o := parse.Options(words)
	return o["d"] != "" && s.mark(o["d"], o["t"], p)
}

// setClass reads set_class DEVICE PORT 106 of linerate's scripts.
func (s *script) setClass(words []string, p facts.Proof) bool {
	return len(words) >= 3 && s.mark(words[0], words[2], p)
}

// setECN reads set_ecn X 3 of linerate's scripts: both congestion points.
func (s *script) setECN(words []string, p facts.Proof) bool {
	if len(words) < 2 {
		return false
	}
	priority, ok := upTo(words[1], 7)
	return ok && s.each(words[0], func(c *facts.Classes) {
		dcb.SetPoint(c, s.f, "np", priority, true, p)
		dcb.SetPoint(c, s.f, "rp", priority, true, p)
	})
}

var (
	ecnFile   = lazyregexp.New(`/sys/class/net/([^/]+)/ecn/roce_([nr]p)/enable/([0-7])$`)
	classFile = lazyregexp.New(`/sys/class/infiniband/([^/]+)/tc/\d+/traffic_class$`)
	tosFile   = lazyregexp.New(`/rdma_cm/([^/]+)/ports/\d+/default_roce_tos$`)
	trustFile = lazyregexp.New(`/sys/class/net/([^/]+)/qos/trust$`)
)

// echo reads echo VALUE > FILE, or echo VALUE | tee FILE.
func (s *script) echo(words []string, p facts.Proof) bool {
	if words = slices.DeleteFunc(slices.Clone(words),
		func(w string) bool { return w == "-n" || w == "sudo" || w == "tee" || w == "-a" }); len(words) < 3 ||
		words[1] != ">" && words[1] != "|" {
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
		return s.each(m[1], func(c *facts.Classes) { dcb.SetPoint(c, s.f, m[2], priority, words[0] == "1", p) })
	}
	if m := trustFile.FindStringSubmatch(file); m != nil && (words[0] == "dscp" || words[0] == "pcp") {
		return s.each(m[1], func(c *facts.Classes) {
			c.Trust = unit.Known(words[0])
			dcb.Says(c, "trust", p, true)
		})
	}
	for _, of := range []*lazyregexp.Regexp{classFile, tosFile} {
		if m := of.FindStringSubmatch(file); m != nil {
			return s.mark(m[1], strings.TrimPrefix(words[0], "tclass="), p)
		}
	}
	return false
}

// SettleClasses combines settings that several lines make together.
func SettleClasses(f *parse.Builder) {
	for device, m := range *parse.StateOf[rdmaMarks](f) {
		if d := f.RDMADevice(device); d != nil {
			for i := range d.Ports {
				if name, ok := d.Ports[i].Interface.Get(); ok && f.NIC(name) != nil {
					c := f.AskedOf(name)
					c.ToS = unit.Known(m.tos)
					dcb.Says(c, "tos", m.proof, true)
				}
			}
		}
	}
	for i := range f.RDMA {
		for j := range f.RDMA[i].Ports {
			p := &f.RDMA[i].Ports[j]
			name, ok := p.Interface.Get()
			if tos, said := p.ToS.Get(); ok && said && f.NIC(name) != nil {
				f.EffectOf(name).ToS = unit.Known(tos)
				f.EffectOf(name).Proves("tos", p.Proofs["tos"])
			}
		}
	}
	for i := range f.NICs {
		n := &f.NICs[i]
		for _, c := range []*facts.Classes{n.Asked, n.Effect} {
			if c != nil {
				dcb.SettlePoints(c, (*parse.StateOf[dcb.ECNPoints](f))[c])
			}
		}
		if c := n.Effect; c != nil && !c.Trust.IsKnown() && len(c.DSCP) > 0 && strings.HasPrefix(n.Driver.Or(""), "mlx5") {
			c.Trust = unit.Known("dscp") // mlx5 trusts DSCP once its map is set
			c.Proves("trust", anyPoint(c))
		}
		if c := n.Asked; c != nil && !c.Trust.IsKnown() && len(c.DSCP) > 0 {
			c.Trust = unit.Known("dscp")
			c.Proves("trust", anyPoint(c))
		}
	}
}

func anyPoint(c *facts.Classes) facts.Proof {
	for point := range 64 {
		if p, ok := c.Proofs["dscp "+strconv.Itoa(point)]; ok {
			return p
		}
	}
	return facts.Proof{}
}

// rdmaMarks are settings of RDMA devices that are not assigned to interfaces yet.
type rdmaMarks map[string]rdmaMark
