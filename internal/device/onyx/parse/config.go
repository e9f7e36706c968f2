package parse

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

var (
	onyxOfPort = lazyregexp.New(`^(?:no )?interface (?:ethernet|port-channel|mlag-port-channel) (\S+)(?: (.*))?$`)
	onyxRange  = lazyregexp.New(`^(\d+/)(\d+)(?:-(?:\d+/)?(\d+))?$`)
	onyxBind   = lazyregexp.New(`^traffic-class (\d) bind switch-priority ([\d ]+)$`)
	onyxShare  = lazyregexp.New(`^traffic-class (\d) dcb ets (?:wrr (\d+)|(strict))$`)
	onyxMark   = lazyregexp.New(`^traffic-class (\d) congestion-control ecn minimum-absolute (\d+) maximum-absolute (\d+)$`)
	onyxNoMark = lazyregexp.New(`^no traffic-class (\d) congestion-control$`)
	onyxPFCSet = lazyregexp.New(`^dcb priority-flow-control priority (\d) (enable|disable)$`)
	onyxPool   = lazyregexp.New(`^traffic pool (\S+) (type (\S+)|map switch-priority ([\d ]+))$`)
	onyxInitd  = lazyregexp.New(`(?m)^## (?:Running|Active saved) database`)
)

// onyxAsk is the configuration of one port.
type onyxAsk struct {
	mtu        int
	pfc        unit.Opt[bool]
	trust      unit.Opt[string]
	priorities map[int]int
	queues     map[int]facts.Queue
	pauseRx    unit.Opt[bool]
	pauseTx    unit.Opt[bool]
	send, dcbx unit.Opt[bool]
	watchdog   unit.Opt[bool]
	lines      map[string]facts.Proof
}

// onyxConf is a configuration in the language of Onyx, complete or in part.
type onyxConf struct {
	mode    string // of `roce`
	modeAt  facts.Proof
	enabled unit.Opt[bool] // PFC as a whole
	pfc     []int
	pfcAt   facts.Proof
	pools   map[string]*facts.BufferPool
	ports   map[string]*onyxAsk
	order   []string
}

// onyxPortsOf returns the names of 1/1, 1/1-1/4, 1/17/2.
func onyxPortsOf(kind, list string) (out []string) {
	prefix := map[string]string{"ethernet": "Eth", "port-channel": "Po", "mlag-port-channel": "Mpo"}[kind]
	if m := onyxRange.FindStringSubmatch(list); m != nil && m[3] != "" {
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[3])
		for i := from; i <= to && i-from < 512; i++ {
			out = append(out, prefix+m[1]+strconv.Itoa(i))
		}
		return out
	}
	return []string{prefix + list}
}

// readOnyxConfig reads "show running-config", or a script: each line names its port. Snapshots of configurations
// without classes: napalm-onyx, mellanox.onyx. The lines of classes are those of package config, which names their
// documents.
func readOnyxConfig(f *parse.Builder, _ []string, text []byte) error {
	c := &onyxConf{pools: map[string]*facts.BufferPool{}, ports: map[string]*onyxAsk{}}
	found := 0
	var within []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		p := f.Proof(line)
		if m := onyxOfPort.FindStringSubmatch(line); m != nil {
			found++
			words := strings.Fields(line)
			kind := words[slices.Index(words, "interface")+1]
			ports := onyxPortsOf(kind, m[1])
			if m[2] == "" { // the lines until exit apply to these
				within = ports
				continue
			}
			for _, name := range ports {
				c.port(name).line(strings.TrimSpace(m[2]), p)
			}
			continue
		}
		if line == "exit" {
			within = nil
			continue
		}
		if c.global(line, p) {
			found++
			continue
		}
		for _, name := range within {
			c.port(name).line(line, p)
		}
	}
	if found == 0 && !onyxInitd.Match(text) {
		return parse.ToolError(text)
	}
	onyxAsked(f, c)
	return nil
}

func (c *onyxConf) port(name string) *onyxAsk {
	if c.ports[name] == nil {
		c.ports[name] = &onyxAsk{lines: map[string]facts.Proof{}}
		c.order = append(c.order, name)
	}
	return c.ports[name]
}

// global reads a line that applies to all ports; false: it is another line.
func (c *onyxConf) global(line string, p facts.Proof) bool {
	switch {
	case line == "roce lossless" || line == "roce lossy" || line == "roce semi-lossless":
		c.mode, c.modeAt = strings.TrimPrefix(line, "roce "), p
	case line == "roce":
		c.mode, c.modeAt = "lossless", p
	case line == "no roce":
		c.mode = ""
	case strings.HasPrefix(line, "dcb priority-flow-control enable"):
		c.enabled = unit.Known(true)
	case strings.HasPrefix(line, "no dcb priority-flow-control enable"):
		c.enabled = unit.Known(false)
	case onyxPFCSet.MatchString(line):
		m := onyxPFCSet.FindStringSubmatch(line)
		class, _ := strconv.Atoi(m[1])
		c.pfc = slices.DeleteFunc(c.pfc, func(k int) bool { return k == class })
		if m[2] == "enable" {
			c.pfc, c.pfcAt = append(c.pfc, class), p
		}
	case onyxPool.MatchString(line):
		m := onyxPool.FindStringSubmatch(line)
		pool := c.pools[m[1]]
		if pool == nil {
			pool = &facts.BufferPool{Name: m[1]}
			c.pools[m[1]] = pool
		}
		if m[3] != "" {
			pool.Lossless = m[3] == "lossless"
		} else {
			pool.Priorities, _ = parse.IntList(m[4])
			pool.Proof = p
		}
	default:
		return false
	}
	return true
}

// line reads the words after a port's name.
func (a *onyxAsk) line(line string, p facts.Proof) {
	words := strings.Fields(strings.TrimSuffix(line, " force"))
	if len(words) == 1 { // only pfc-wd
		words = append(words, "")
	}
	if len(words) == 0 {
		return
	}
	line = strings.TrimSpace(strings.Join(words, " "))
	switch {
	case words[0] == "mtu":
		if v, err := strconv.Atoi(words[1]); err == nil && v > 0 && v < 1<<17 {
			a.mtu, a.lines["mtu"] = v, p
		}
	case strings.HasPrefix(line, "qos trust ") && len(words) == 3:
		a.trust, a.lines["trust"] = onyxTrust(words[2]), p
	case strings.HasPrefix(line, "dcb priority-flow-control mode ") && len(words) == 4:
		a.pfc, a.lines["pfc"] = unit.Known(words[3] == "on"), p
	case strings.HasPrefix(line, "no dcb priority-flow-control"):
		a.pfc, a.lines["pfc"] = unit.Known(false), p
	case strings.HasPrefix(line, "flowcontrol ") && len(words) == 3:
		if words[1] == "send" {
			a.pauseTx = unit.Known(words[2] == "on")
		} else {
			a.pauseRx = unit.Known(words[2] == "on")
		}
		a.lines["pause"] = p
	case line == "lldp transmit":
		a.send = unit.Known(true)
	case strings.HasPrefix(line, "lldp tlv-select"):
		a.dcbx, a.lines["dcbx"] = unit.Known(strings.Contains(line, "dcbx")), p
	case words[0] == "pfc-wd":
		a.watchdog, a.lines["watchdog"] = unit.Known(true), p
	}
	a.class(line, p)
}

// class reads a line of a traffic class.
func (a *onyxAsk) class(line string, p facts.Proof) {
	change := func(number string, as string, how func(q *facts.Queue)) {
		class, _ := strconv.Atoi(number)
		if a.queues == nil {
			a.queues = map[int]facts.Queue{}
		}
		q := a.queues[class]
		how(&q)
		a.queues[class] = q
		a.lines[as+" "+number] = p
	}
	if m := onyxBind.FindStringSubmatch(line); m != nil {
		list, _ := parse.IntList(m[2])
		class, _ := strconv.Atoi(m[1])
		if a.priorities == nil {
			a.priorities = map[int]int{}
		}
		for _, priority := range list {
			a.priorities[priority] = class
		}
		a.lines["bind"] = p
	}
	if m := onyxShare.FindStringSubmatch(line); m != nil {
		share, err := strconv.ParseFloat(m[2], 64)
		change(m[1], "queue", func(q *facts.Queue) {
			q.Strict = unit.Known(m[3] != "")
			if err == nil {
				q.Weight = unit.Known(share)
			}
		})
	}
	if m := onyxMark.FindStringSubmatch(line); m != nil {
		change(m[1], "ecn", func(q *facts.Queue) {
			q.ECN, q.Min, q.Max = unit.Known(true), onyxBytes(m[2]+"KB"), onyxBytes(m[3]+"KB")
		})
	}
	if m := onyxNoMark.FindStringSubmatch(line); m != nil {
		change(m[1], "ecn", func(q *facts.Queue) { q.ECN = unit.Known(false) })
	}
}

// onyxAsked stores the configuration of each port.
func onyxAsked(f *parse.Builder, c *onyxConf) {
	for _, name := range c.order {
		n := onyxPort(f, name)
		if n == nil {
			continue
		}
		a := c.ports[name]
		if a.mtu > 0 && n.MTU == 0 {
			n.MTU = a.mtu
			n.Proves("mtu", a.lines["mtu"])
		}
		n.Asked = c.classes(a)
	}
	if c.mode != "" {
		f.Switch.Asked = c.classes(&onyxAsk{})
	}
	for _, name := range slices.Sorted(maps.Keys(c.pools)) {
		f.Switch.AskedPools = append(f.Switch.AskedPools, *c.pools[name])
	}
}

// classes returns the configured classes of a port.
func (c *onyxConf) classes(a *onyxAsk) *facts.Classes {
	out := &facts.Classes{}
	switch c.mode {
	case "":
		out.DSCP, out.PCP = show.Blocks()
	default:
		*out = *show.RoCEMode(c.mode == "lossless" || c.mode == "semi-lossless")
		out.Trust = unit.Known("dscp") // the modes set L3
		for _, aspect := range []string{"mode", "trust", "pfc", "queue 3", "queue 6", "ecn 3"} {
			if _, own := a.lines[aspect]; !own {
				out.Proves(aspect, c.modeAt)
			}
		}
		if c.mode == "semi-lossless" { // pauses are obeyed and not sent
			out.PFCSend = unit.Known([]int{})
		}
	}
	if a.priorities != nil {
		out.Priorities = map[int]int{}
		for p := range 8 {
			out.Priorities[p] = p
		}
		maps.Copy(out.Priorities, a.priorities)
		dscp, pcp := show.Blocks()
		out.DSCP, out.PCP = show.Bound(dscp, out.Priorities), show.Bound(pcp, out.Priorities)
	}
	parse.Learn(&out.Trust, a.trust)
	if on, ok := a.pfc.Get(); ok {
		list := []int{}
		if on && c.enabled.Or(true) {
			list = slices.Clone(c.pfc)
			slices.Sort(list)
		}
		if !on || c.pfc != nil {
			out.PFCReceive, out.PFCSend = unit.Known(list), unit.Known(list)
		}
		if on && c.pfc != nil {
			out.Proves("pfc", c.pfcAt)
		}
	}
	out.PauseRx, out.PauseTx, out.Watchdog = a.pauseRx, a.pauseTx, a.watchdog
	if a.dcbx.IsKnown() {
		out.DCBX = unit.Known(a.dcbx.Or(false) && a.send.Or(true))
	}
	for class, q := range a.queues {
		if !q.ECN.IsKnown() && c.mode == "" {
			q.ECN = unit.Known(false) // the class exists, and no line enables marking
		}
		if strict, ok := q.Strict.Get(); ok && !strict && c.mode != "" && !q.ECN.IsKnown() {
			q.ECN = out.Queues[class].ECN
		}
		out.SetQueue(class, func(have *facts.Queue) { *have = q })
	}
	for aspect, p := range a.lines {
		out.Proves(aspect, p)
	}
	return out
}
