package parse

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// Settle derives the configuration of each port from a switch's tables and commands, and adds the profiles of "show
// ecn" to the queues.
func Settle(f *parse.Builder) {
	state := parse.StateOf[sonicState](f)
	c := state.conf
	if c != nil {
		for _, port := range c.ports() {
			if n := sonicPort(f, port); n != nil && n.Kind == "" {
				n.Asked = c.classes(port)
				if v, p := c.get("PORT", port, "mtu"); n.MTU == 0 {
					if mtu, err := strconv.Atoi(v); err == nil && mtu > 0 && mtu < 1<<17 {
						n.MTU = mtu
						n.Proves("mtu", p)
					}
				}
			}
		}
		for _, port := range c.ports() {
			for class, profile := range c.queueProfiles(port) {
				if x := state.profiles[profile]; x != nil {
					e := parse.Effect(f.Interface(port))
					e.SetQueue(class, x.marks)
					e.Proves("ecn "+strconv.Itoa(class), x.proof)
				}
			}
		}
		for _, key := range c.keys["PORTCHANNEL_MEMBER"] {
			if lag, port, ok := strings.Cut(key, "|"); ok && f.NIC(port) != nil {
				f.Interface(port).Master = lag
			}
		}
	}
	*state = sonicState{}
}

// ports returns the ports in any table or command, in their order.
func (c *sonicConf) ports() (out []string) {
	add := func(name string) {
		if sonicPorts.MatchString(name) && !strings.HasPrefix(name, "PortChannel") && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, table := range []string{"PORT", "PORT_QOS_MAP", "QUEUE", "PFC_WD"} {
		for _, key := range c.keys[table] {
			names, _, _ := strings.Cut(key, "|")
			for _, name := range strings.Split(names, ",") {
				add(name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.pfc)) {
		add(name)
	}
	return out
}

// mapFor returns the name of a port's map, and the line that assigns it: the port's own, that of all ports, or the only
// one.
func (c *sonicConf) mapFor(port, field, table string) (string, facts.Proof) {
	for _, key := range []string{port, "global"} {
		if name, p := c.get("PORT_QOS_MAP", key, field); name != "" {
			return name, p
		}
	}
	if c.keys["PORT_QOS_MAP"] == nil && len(c.keys[table]) == 1 { // partial: the template assigns it to all ports
		return c.keys[table][0], facts.Proof{}
	}
	return "", facts.Proof{}
}

// numbers reads the fields of a map: from and to.
func (c *sonicConf) numbers(table, name string) (out map[int]int, lines map[int]facts.Proof) {
	out, lines = map[int]int{}, map[int]facts.Proof{}
	for _, field := range c.fields[table+"|"+name] {
		value, p := c.get(table, name, field)
		from, err := strconv.Atoi(field)
		to, err2 := strconv.Atoi(value)
		if err == nil && err2 == nil && from >= 0 && from < 64 && to >= 0 && to < 16 {
			out[from], lines[from] = to, p
		}
	}
	return out, lines
}

// queueFields returns the values of a port's queue, from keys such as Ethernet0|3, Ethernet0|3-4 and
// Ethernet0,Ethernet4|0-2.
func (c *sonicConf) queueFields(port string, queue int, field string) (value string, p facts.Proof) {
	for _, key := range c.keys["QUEUE"] {
		names, list, _ := strings.Cut(key, "|")
		queues, ok := parse.IntList(list)
		if ok && slices.Contains(queues, queue) && slices.Contains(strings.Split(names, ","), port) {
			if v, at := c.get("QUEUE", key, field); v != "" {
				value, p = v, at
			}
		}
	}
	return value, p
}

func (c *sonicConf) queueProfiles(port string) map[int]string {
	out := map[int]string{}
	for queue := range 8 {
		if name, _ := c.queueFields(port, queue, "wred_profile"); name != "" {
			out[queue] = name
		}
	}
	return out
}

// sonicLossless is the profile of SONiC's template, qos_config.j2 of sonic-buildimage.
var sonicLossless = sonicProfile{ecn: unit.Known(true), wred: unit.Known(true), min: unit.Known(unit.Bytes(1048576)),
	max: unit.Known(unit.Bytes(2097152))}

// profile returns a profile of marking; the template's if the tables do not have it. nil: unknown.
func (c *sonicConf) profile(name string) *sonicProfile {
	x := &sonicProfile{}
	if c.fields["WRED_PROFILE|"+name] == nil {
		if name != "AZURE_LOSSLESS" || c.keys["PORT_QOS_MAP"] != nil {
			return nil
		}
		*x = sonicLossless
		return x
	}
	for _, field := range []string{"ecn", "wred_green_enable", "green_min_threshold", "green_max_threshold"} {
		if v, p := c.get("WRED_PROFILE", name, field); v != "" {
			x.set(field, v, p)
		}
	}
	return x
}

// classes returns the configured classes of a port.
func (c *sonicConf) classes(port string) *facts.Classes {
	out := &facts.Classes{Trust: unit.Unknown[string]("the configuration gives the port no map")}
	if name, p := c.mapFor(port, "dscp_to_tc_map", "DSCP_TO_TC_MAP"); name != "" {
		out.Trust = unit.Known("dscp")
		points, lines := c.numbers("DSCP_TO_TC_MAP", name)
		if len(points) > 0 {
			out.DSCP = points
		}
		for point, line := range lines {
			out.Proves("dscp "+strconv.Itoa(point), line)
		}
		if p.Line != "" {
			out.Proves("trust", p)
		}
	}
	if name, p := c.mapFor(port, "dot1p_to_tc_map", "DOT1P_TO_TC_MAP"); name != "" {
		out.PCP, _ = c.numbers("DOT1P_TO_TC_MAP", name)
		if trust, ok := out.Trust.Get(); ok && trust == "dscp" {
			out.Trust = unit.Known("both")
		} else {
			out.Trust = unit.Known("pcp")
			out.Proves("trust", p)
		}
	}
	c.lossless(port, out)
	toQueue := map[int]int{}
	if name, _ := c.mapFor(port, "tc_to_queue_map", "TC_TO_QUEUE_MAP"); name != "" {
		toQueue, _ = c.numbers("TC_TO_QUEUE_MAP", name)
	}
	for class := range 8 {
		queue, ok := toQueue[class]
		if !ok {
			queue = class
		}
		c.inQueue(port, queue, class, out)
	}
	if _, p := c.get("PFC_WD", port, "action"); p.Line != "" {
		out.Watchdog = unit.Known(true)
		out.Proves("watchdog", p)
	}
	if _, p := c.get("PFC_WD", "GLOBAL", "all"); p.Line != "" {
		out.Watchdog = unit.Known(true)
		out.Proves("watchdog", p)
	}
	for _, name := range c.keys["CABLE_LENGTH"] {
		if v, p := c.get("CABLE_LENGTH", name, port); v != "" {
			if length, err := strconv.ParseFloat(strings.TrimSuffix(v, "m"), 64); err == nil && length >= 0 {
				out.Cable = unit.Known(length)
				out.Proves("cable", p)
			}
		}
	}
	if list, why := out.PFC(); why == "" && len(list) > 0 && c.whole && !out.Cable.IsKnown() {
		out.Cable = unit.Known(0.0)
		out.Proves("cable", out.Proofs["pfc"])
	}
	return out
}

// lossless stores the paused priorities.
func (c *sonicConf) lossless(port string, out *facts.Classes) {
	v, p := c.get("PORT_QOS_MAP", port, "pfc_enable")
	list, ok := parse.IntList(v)
	said := p.Line != "" && ok || c.pfc[port] != nil || c.fields["PORT_QOS_MAP|"+port] != nil
	if !said {
		return
	}
	if p.Line != "" {
		out.Proves("pfc", p)
	}
	for class, on := range c.pfc[port] {
		list = slices.DeleteFunc(list, func(k int) bool { return k == class })
		if on {
			list = append(list, class)
		}
	}
	if at, ok := c.pfcAt[port]; ok {
		out.Proves("pfc", at)
	}
	if list == nil {
		list = []int{}
	}
	slices.Sort(list)
	out.PFCReceive, out.PFCSend = unit.Known(list), unit.Known(list)
}

// inQueue stores the share and marking of a class's queue.
func (c *sonicConf) inQueue(port string, queue, class int, out *facts.Classes) {
	number := strconv.Itoa(class)
	if name, p := c.queueFields(port, queue, "scheduler"); name != "" {
		kind, _ := c.get("SCHEDULER", name, "type")
		weight, _ := c.get("SCHEDULER", name, "weight")
		out.SetQueue(class, func(q *facts.Queue) {
			if kind != "" {
				q.Strict = unit.Known(strings.EqualFold(kind, "STRICT"))
			}
			if v, err := strconv.ParseFloat(weight, 64); err == nil && v >= 0 && v <= 100 && !strings.EqualFold(kind, "STRICT") {
				q.Weight = unit.Known(v)
			}
			if !q.ECN.IsKnown() {
				q.ECN = unit.Known(false) // the queue exists, and no profile enables marking
			}
		})
		out.Proves("queue "+number, p)
	}
	name, p := c.queueFields(port, queue, "wred_profile")
	if name == "" {
		return
	}
	x := c.profile(name)
	out.SetQueue(class, func(q *facts.Queue) {
		if x == nil {
			q.ECN = unit.Unknown[bool]("the profile " + name + " is not in the configuration")
			return
		}
		x.marks(q)
	})
	out.Proves("ecn "+number, p)
}
