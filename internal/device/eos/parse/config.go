package parse

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// eosQueues are the queues of a profile or port by their numbers, with their lines.
type eosQueues struct {
	queues map[int]facts.Queue
	lines  map[string]facts.Proof // "queue 3", "ecn 3"
}

// eosAsk is the configuration of one port or profile.
type eosAsk struct {
	eosQueues
	trust, profile string
	pfc            unit.Opt[bool]
	lossless       []int
	trustAt, pfcAt facts.Proof
	mtu            int
	mtuAt          facts.Proof
	off, dcbx      unit.Opt[bool]
	member         string
}

// eosConf is a configuration in the language of EOS.
type eosConf struct {
	whole    bool // the text is complete, so anything missing is not set
	dscp     map[int]int
	pcp      map[int]int
	queueOf  map[int]int // traffic class to queue
	lines    map[string]facts.Proof
	profiles map[string]*eosAsk
	ports    map[string]*eosAsk
	order    []string
}

var (
	eosMapLine   = lazyregexp.New(`^qos map (dscp|cos) ([\d ,-]+) to traffic-class (\d+)$`)
	eosQueueLine = lazyregexp.New(`^qos map traffic-class ([\d ,-]+) to (?:uc-)?tx-queue (\d+)$`)
	eosInQueue   = lazyregexp.New(`^(?:uc-)?tx-queue (\d+)$`)
	eosECNLine   = lazyregexp.New(`^random-detect ecn minimum-threshold (\d+) (\w+) maximum-threshold (\d+) (\w+)`)
	eosPFCLine   = lazyregexp.New(`^priority-flow-control priority (\d) (no-drop|drop)$`)
	eosShare     = lazyregexp.New(`^bandwidth percent (\d+)`)
	eosPortList  = lazyregexp.New(`^([A-Za-z-]+)\s*(\d.*)$`)
	eosWholeMark = lazyregexp.New(`(?m)^(?:! device: |! Command: show (?:running|startup)-config|! Startup-config last modified)`)
)

// eosDefaults returns how EOS maps code points and priorities by default: in blocks of eight, with the first two blocks
// swapped.
func eosDefaults() (dscp, pcp map[int]int) {
	dscp, pcp = map[int]int{}, map[int]int{}
	swap := []int{1, 0, 2, 3, 4, 5, 6, 7}
	for p := range 64 {
		dscp[p] = swap[p/8]
	}
	for p := range 8 {
		pcp[p] = swap[p]
	}
	return dscp, pcp
}

// parseEOSConfig reads a configuration of EOS, complete or in part: a running one, a pasted script, or what package
// config renders.
func parseEOSConfig(f *parse.Builder, text []byte) (*eosConf, error) {
	c := &eosConf{whole: eosWholeMark.Match(text), queueOf: map[int]int{}, lines: map[string]facts.Proof{},
		profiles: map[string]*eosAsk{}, ports: map[string]*eosAsk{}}
	c.dscp, c.pcp = eosDefaults()
	var within []*eosAsk
	queue, known := -1, 0
	for raw := range strings.Lines(string(text)) {
		line := strings.TrimSpace(raw)
		p := f.Proof(line)
		indented := strings.HasPrefix(raw, " ") || strings.HasPrefix(raw, "\t")
		switch {
		case line == "" || strings.HasPrefix(line, "!"):
			if line == "!" && !indented {
				within, queue = nil, -1
			}
			continue
		case line == "exit" || line == "end":
			within, queue = nil, -1
			continue
		case strings.HasPrefix(line, "interface "):
			within, queue = nil, -1
			for _, name := range eosPorts(strings.TrimPrefix(line, "interface ")) {
				within = append(within, c.port(name))
			}
			known++
			continue
		case strings.HasPrefix(line, "qos profile "):
			a := &eosAsk{}
			c.profiles[strings.TrimSpace(strings.TrimPrefix(line, "qos profile "))] = a
			within, queue = []*eosAsk{a}, -1
			known++
			continue
		case !indented && len(within) == 0 || strings.HasPrefix(line, "qos map "):
			if c.global(line, p) {
				known++
			}
			continue
		}
		if m := eosInQueue.FindStringSubmatch(line); m != nil {
			queue, _ = strconv.Atoi(m[1])
			known++
		}
		for _, a := range within {
			a.line(line, queue, p)
		}
	}
	if known == 0 {
		return nil, parse.ToolError(text)
	}
	return c, nil
}

func (c *eosConf) port(name string) *eosAsk {
	if c.ports[name] == nil {
		c.ports[name] = &eosAsk{}
		c.order = append(c.order, name)
	}
	return c.ports[name]
}

// eosPorts returns the ports of "Ethernet1-4,7", "Ethernet1/1", "Et5".
func eosPorts(list string) (out []string) {
	m := eosPortList.FindStringSubmatch(strings.TrimSpace(list))
	if m == nil {
		return []string{eosName(strings.TrimSpace(list))}
	}
	for _, part := range strings.Split(m[2], ",") {
		part = strings.TrimSpace(part)
		head, last := "", part
		if i := strings.LastIndexByte(part, '/'); i >= 0 && !strings.Contains(part[:i], "-") {
			head, last = part[:i+1], part[i+1:]
		}
		numbers, ok := parse.IntList(last)
		if !ok || len(numbers) > 512 {
			out = append(out, eosName(m[1]+part))
			continue
		}
		for _, n := range numbers {
			out = append(out, eosName(m[1]+head+strconv.Itoa(n)))
		}
	}
	return out
}

// global reads a line that applies to all ports.
func (c *eosConf) global(line string, p facts.Proof) bool {
	if m := eosMapLine.FindStringSubmatch(line); m != nil {
		points, ok := parse.IntList(m[2])
		class, err := strconv.Atoi(m[3])
		if !ok || err != nil || class > 7 {
			return false
		}
		for _, point := range points {
			if m[1] == "dscp" && point < 64 {
				c.dscp[point] = class
				c.lines["dscp "+strconv.Itoa(point)] = p
			} else if m[1] == "cos" && point < 8 {
				c.pcp[point] = class
				c.lines["pcp "+strconv.Itoa(point)] = p
			}
		}
		return true
	}
	if m := eosQueueLine.FindStringSubmatch(line); m != nil {
		classes, ok := parse.IntList(m[1])
		queue, err := strconv.Atoi(m[2])
		for _, class := range classes {
			if ok && err == nil {
				c.queueOf[class] = queue
			}
		}
		return ok
	}
	return false
}

// line reads a line within a port or profile.
func (a *eosAsk) line(line string, queue int, p facts.Proof) {
	if queue >= 0 && a.inQueue(line, queue, p) {
		return
	}
	switch {
	case strings.HasPrefix(line, "mtu "):
		if v, err := strconv.Atoi(strings.TrimPrefix(line, "mtu ")); err == nil && v > 0 && v < 1<<17 {
			a.mtu, a.mtuAt = v, p
		}
	case strings.HasPrefix(line, "qos trust "):
		a.trust, a.trustAt = eosTrust(strings.TrimPrefix(line, "qos trust ")), p
	case line == "no qos trust":
		a.trust, a.trustAt = "none", p
	case strings.HasPrefix(line, "service-profile "):
		a.profile = strings.TrimPrefix(line, "service-profile ")
	case line == "priority-flow-control on" || line == "priority-flow-control mode on":
		a.pfc, a.pfcAt = unit.Known(true), p
	case line == "no priority-flow-control" || line == "priority-flow-control off":
		a.pfc, a.pfcAt = unit.Known(false), p
	case line == "shutdown" || line == "no shutdown":
		a.off = unit.Known(line == "shutdown")
	case strings.HasPrefix(line, "dcbx mode "):
		a.dcbx = unit.Known(line != "dcbx mode none")
	case strings.HasPrefix(line, "channel-group "):
		a.member = "Port-Channel" + strings.Fields(line + " 0")[1]
	}
	if m := eosPFCLine.FindStringSubmatch(line); m != nil {
		class, _ := strconv.Atoi(m[1])
		a.lossless = slices.DeleteFunc(a.lossless, func(c int) bool { return c == class })
		if m[2] == "no-drop" {
			a.lossless = append(a.lossless, class)
		}
		if a.pfcAt.Line == "" || m[2] == "no-drop" {
			a.pfcAt = p
		}
	}
}

// inQueue reads a line within a queue; false: it is another line.
func (a *eosAsk) inQueue(line string, queue int, p facts.Proof) bool {
	if a.queues == nil {
		a.queues, a.lines = map[int]facts.Queue{}, map[string]facts.Proof{}
	}
	q := a.queues[queue]
	number := strconv.Itoa(queue)
	switch m := eosECNLine.FindStringSubmatch(line); {
	case m != nil:
		q.ECN, q.Min, q.Max = unit.Known(true), eosBytes(m[1], m[2]), eosBytes(m[3], m[4])
		a.lines["ecn "+number] = p
	case line == "priority strict" || line == "no priority":
		q.Strict = unit.Known(line == "priority strict")
		a.lines["queue "+number] = p
	case eosShare.MatchString(line):
		v, err := strconv.ParseFloat(eosShare.FindStringSubmatch(line)[1], 64)
		if err == nil && v <= 100 {
			q.Weight = unit.Known(v)
		}
		a.lines["queue "+number] = p
	default:
		return eosInQueue.MatchString(line)
	}
	a.queues[queue] = q
	return true
}

// eosBytes reads a threshold. EOS's kbytes count as 1000 bytes: whether they are 1024 is not known, and the smaller
// value is safe.
func eosBytes(number, word string) unit.Opt[unit.Bytes] {
	v, err := strconv.ParseInt(number, 10, 40)
	scale := map[string]int64{"bytes": 1, "kbytes": 1e3, "mbytes": 1e6}[word]
	if err != nil || scale == 0 {
		return unit.Unknown[unit.Bytes]("its unit is " + word)
	}
	return unit.Known(unit.Bytes(v * scale))
}

// classes returns the configured classes of a port.
func (c *eosConf) classes(a *eosAsk) *facts.Classes {
	profile := c.profiles[a.profile]
	if profile == nil {
		profile = &eosAsk{}
	}
	out := &facts.Classes{DSCP: maps.Clone(c.dscp), PCP: maps.Clone(c.pcp)}
	for aspect, p := range c.lines {
		out.Proves(aspect, p)
	}
	trust := a
	if a.trust == "" {
		trust = profile
	}
	if trust.trust != "" {
		out.Trust = unit.Known(trust.trust)
		out.Proves("trust", trust.trustAt)
	} else {
		out.Trust = unit.Unknown[string]("the configuration does not say; EOS then trusts CoS on switched ports, and DSCP " +
			"on routed ones")
	}
	pfc := a
	if !a.pfc.IsKnown() {
		pfc = profile
	}
	if on, ok := pfc.pfc.Get(); ok || c.whole {
		list := []int{}
		if on {
			for _, class := range slices.Concat(a.lossless, profile.lossless) {
				list = xslices.AppendNew(list, class)
			}
		}
		slices.Sort(list)
		out.PFCReceive, out.PFCSend = unit.Known(list), unit.Known(list)
		if len(a.lossless) > 0 {
			out.Proves("pfc", a.pfcAt)
		} else if pfc.pfcAt.Line != "" {
			out.Proves("pfc", pfc.pfcAt)
		}
	}
	out.DCBX = a.dcbx
	for class := range 8 {
		number, ok := c.queueOf[class]
		if !ok {
			number = class
		}
		q, ok := a.queues[number]
		from := a
		if !ok {
			q, ok = profile.queues[number]
			from = profile
		}
		if !ok {
			continue
		}
		if !q.ECN.IsKnown() {
			q.ECN = unit.Known(false) // the queue exists, and no line enables marking
		}
		out.SetQueue(class, func(have *facts.Queue) { *have = q })
		for _, aspect := range []string{"queue", "ecn"} {
			if p, ok := from.lines[aspect+" "+strconv.Itoa(number)]; ok {
				out.Proves(aspect+" "+strconv.Itoa(class), p)
			}
		}
	}
	return out
}

// readEOSConfig reads a configuration of EOS: "show running-config", or a script. No snapshot with classes exists: the
// lines are those of Arista's own generator, which package config names.
func readEOSConfig(f *parse.Builder, text []byte) error {
	c, err := parseEOSConfig(f, text)
	if err != nil {
		return err
	}
	for _, name := range c.order {
		a := c.ports[name]
		n := eosPort(f, name)
		if n.Kind != "" && n.Kind != "bond" {
			continue
		}
		if a.mtu > 0 && n.MTU == 0 {
			n.MTU = a.mtu
			n.Proves("mtu", a.mtuAt)
		}
		if off, ok := a.off.Get(); ok && !n.Carrier.IsKnown() {
			n.Up, n.UpKnown = !off, true
		}
		if a.member != "" {
			n.Master = a.member
		}
		n.Asked = c.classes(a)
	}
	return nil
}
