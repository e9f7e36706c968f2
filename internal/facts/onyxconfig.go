package facts

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
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

// onyxAsk is what a configuration says of one port.
type onyxAsk struct {
	mtu        int
	pfc        unit.Opt[bool]
	trust      unit.Opt[string]
	priorities map[int]int
	queues     map[int]Queue
	pauseRx    unit.Opt[bool]
	pauseTx    unit.Opt[bool]
	send, dcbx unit.Opt[bool]
	watchdog   unit.Opt[bool]
	lines      map[string]Proof
}

// onyxConf is a configuration in the language of Onyx, whole or a part.
type onyxConf struct {
	mode    string // of `roce`
	modeAt  Proof
	enabled unit.Opt[bool] // PFC as a whole
	pfc     []int
	pfcAt   Proof
	pools   map[string]*BufferPool
	ports   map[string]*onyxAsk
	order   []string
}

// onyxPortsOf are the names of 1/1, 1/1-1/4, 1/17/2.
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

// readOnyxConfig reads "show running-config", or a script: each line names its port. Captures of configurations without classes: napalm-onyx,
// mellanox.onyx; the lines of classes are those of package config, which names where each is documented.
func readOnyxConfig(f *Facts, _ []string, text []byte) error {
	c := &onyxConf{pools: map[string]*BufferPool{}, ports: map[string]*onyxAsk{}}
	found := 0
	var within []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		p := f.proof(line)
		if m := onyxOfPort.FindStringSubmatch(line); m != nil {
			found++
			words := strings.Fields(line)
			kind := words[slices.Index(words, "interface")+1]
			ports := onyxPortsOf(kind, m[1])
			if m[2] == "" { // what comes next is of these, until exit
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
		return toolError(text)
	}
	f.onyxAsked(c)
	return nil
}

func (c *onyxConf) port(name string) *onyxAsk {
	if c.ports[name] == nil {
		c.ports[name] = &onyxAsk{lines: map[string]Proof{}}
		c.order = append(c.order, name)
	}
	return c.ports[name]
}

// global takes a line that is of all ports; false: it is none of those.
func (c *onyxConf) global(line string, p Proof) bool {
	switch {
	case line == "roce lossless" || line == "roce lossy" || line == "roce semi-lossless":
		c.mode, c.modeAt = strings.TrimPrefix(line, "roce "), p
	case line == "roce":
		c.mode, c.modeAt = "lossless", p
	case line == "no roce":
		c.mode = ""
	case strings.HasPrefix(line, "dcb priority-flow-control enable"):
		c.enabled = known(true)
	case strings.HasPrefix(line, "no dcb priority-flow-control enable"):
		c.enabled = known(false)
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
			pool = &BufferPool{Name: m[1]}
			c.pools[m[1]] = pool
		}
		if m[3] != "" {
			pool.Lossless = m[3] == "lossless"
		} else {
			pool.Priorities, _ = intList(m[4])
			pool.Proof = p
		}
	default:
		return false
	}
	return true
}

// line takes what stands behind a port's name.
func (a *onyxAsk) line(line string, p Proof) {
	words := strings.Fields(strings.TrimSuffix(line, " force"))
	if len(words) == 1 { // pfc-wd alone
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
		a.pfc, a.lines["pfc"] = known(words[3] == "on"), p
	case strings.HasPrefix(line, "no dcb priority-flow-control"):
		a.pfc, a.lines["pfc"] = known(false), p
	case strings.HasPrefix(line, "flowcontrol ") && len(words) == 3:
		if words[1] == "send" {
			a.pauseTx = known(words[2] == "on")
		} else {
			a.pauseRx = known(words[2] == "on")
		}
		a.lines["pause"] = p
	case line == "lldp transmit":
		a.send = known(true)
	case strings.HasPrefix(line, "lldp tlv-select"):
		a.dcbx, a.lines["dcbx"] = known(strings.Contains(line, "dcbx")), p
	case words[0] == "pfc-wd":
		a.watchdog, a.lines["watchdog"] = known(true), p
	}
	a.class(line, p)
}

// class takes a line of a traffic class.
func (a *onyxAsk) class(line string, p Proof) {
	change := func(number string, as string, how func(q *Queue)) {
		class, _ := strconv.Atoi(number)
		if a.queues == nil {
			a.queues = map[int]Queue{}
		}
		q := a.queues[class]
		how(&q)
		a.queues[class] = q
		a.lines[as+" "+number] = p
	}
	if m := onyxBind.FindStringSubmatch(line); m != nil {
		list, _ := intList(m[2])
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
		change(m[1], "queue", func(q *Queue) {
			q.Strict = known(m[3] != "")
			if err == nil {
				q.Weight = known(share)
			}
		})
	}
	if m := onyxMark.FindStringSubmatch(line); m != nil {
		change(m[1], "ecn", func(q *Queue) { q.ECN, q.Min, q.Max = known(true), onyxBytes(m[2]+"KB"), onyxBytes(m[3]+"KB") })
	}
	if m := onyxNoMark.FindStringSubmatch(line); m != nil {
		change(m[1], "ecn", func(q *Queue) { q.ECN = known(false) })
	}
}

// onyxAsked keeps what a configuration asks of each port.
func (f *Facts) onyxAsked(c *onyxConf) {
	for _, name := range c.order {
		n := f.onyxPort(name)
		if n == nil {
			continue
		}
		a := c.ports[name]
		if a.mtu > 0 && n.MTU == 0 {
			n.MTU = a.mtu
			n.proves("mtu", a.lines["mtu"])
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

// classes is what the configuration asks of a port.
func (c *onyxConf) classes(a *onyxAsk) *Classes {
	out := &Classes{}
	switch c.mode {
	case "":
		out.DSCP, out.PCP = blocks()
	default:
		*out = *roceMode(c.mode == "lossless" || c.mode == "semi-lossless")
		out.Trust = known("dscp") // the modes set L3
		for _, aspect := range []string{"mode", "trust", "pfc", "queue 3", "queue 6", "ecn 3"} {
			if _, own := a.lines[aspect]; !own {
				out.proves(aspect, c.modeAt)
			}
		}
		if c.mode == "semi-lossless" { // pauses are obeyed and not sent
			out.PFCSend = known([]int{})
		}
	}
	if a.priorities != nil {
		out.Priorities = map[int]int{}
		for p := range 8 {
			out.Priorities[p] = p
		}
		maps.Copy(out.Priorities, a.priorities)
		dscp, pcp := blocks()
		out.DSCP, out.PCP = bound(dscp, out.Priorities), bound(pcp, out.Priorities)
	}
	learn(&out.Trust, a.trust)
	if on, ok := a.pfc.Get(); ok {
		list := []int{}
		if on && c.enabled.Or(true) {
			list = slices.Clone(c.pfc)
			slices.Sort(list)
		}
		if !on || c.pfc != nil {
			out.PFCReceive, out.PFCSend = known(list), known(list)
		}
		if on && c.pfc != nil {
			out.proves("pfc", c.pfcAt)
		}
	}
	out.PauseRx, out.PauseTx, out.Watchdog = a.pauseRx, a.pauseTx, a.watchdog
	if a.dcbx.IsKnown() {
		out.DCBX = known(a.dcbx.Or(false) && a.send.Or(true))
	}
	for class, q := range a.queues {
		if !q.ECN.IsKnown() && c.mode == "" {
			q.ECN = known(false) // the class is there, and no line marks it
		}
		if strict, ok := q.Strict.Get(); ok && !strict && c.mode != "" && !q.ECN.IsKnown() {
			q.ECN = out.Queues[class].ECN
		}
		out.queue(class, func(have *Queue) { *have = q })
	}
	for aspect, p := range a.lines {
		out.proves(aspect, p)
	}
	return out
}
