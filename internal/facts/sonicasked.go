package facts

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// settleSONiC draws from a switch's tables and commands what each of its ports is asked to do, and gives the queues what "show ecn"
// says of their profiles.
func settleSONiC(f *Facts) {
	c := f.said.sonic
	if c != nil {
		for _, port := range c.ports() {
			if n := f.sonicPort(port); n != nil && n.Kind == "" {
				n.Asked = c.classes(port)
				if v, p := c.get("PORT", port, "mtu"); n.MTU == 0 {
					if mtu, err := strconv.Atoi(v); err == nil && mtu > 0 && mtu < 1<<17 {
						n.MTU = mtu
						n.proves("mtu", p)
					}
				}
			}
		}
		for _, port := range c.ports() {
			for class, profile := range c.queueProfiles(port) {
				if x := f.said.profiles[profile]; x != nil {
					e := f.nic(port).effect()
					e.queue(class, x.marks)
					e.proves("ecn "+strconv.Itoa(class), x.proof)
				}
			}
		}
		for _, key := range c.keys["PORTCHANNEL_MEMBER"] {
			if lag, port, ok := strings.Cut(key, "|"); ok && f.NIC(port) != nil {
				f.nic(port).Master = lag
			}
		}
	}
	f.said.sonic, f.said.profiles = nil, nil
}

// ports are those that any table or command names, in the order in which they come.
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

// mapFor is the name of a port's map, and the line that gives it to the port: its own, that of all ports, or the only one that there is.
func (c *sonicConf) mapFor(port, field, table string) (string, Proof) {
	for _, key := range []string{port, "global"} {
		if name, p := c.get("PORT_QOS_MAP", key, field); name != "" {
			return name, p
		}
	}
	if c.keys["PORT_QOS_MAP"] == nil && len(c.keys[table]) == 1 { // a part: the template gives it to all ports
		return c.keys[table][0], Proof{}
	}
	return "", Proof{}
}

// numbers reads the fields of a map: from and to.
func (c *sonicConf) numbers(table, name string) (out map[int]int, lines map[int]Proof) {
	out, lines = map[int]int{}, map[int]Proof{}
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

// queueFields are the values of a port's queue, from keys such as Ethernet0|3, Ethernet0|3-4 and Ethernet0,Ethernet4|0-2.
func (c *sonicConf) queueFields(port string, queue int, field string) (value string, p Proof) {
	for _, key := range c.keys["QUEUE"] {
		names, list, _ := strings.Cut(key, "|")
		queues, ok := intList(list)
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
var sonicLossless = sonicProfile{ecn: known(true), wred: known(true), min: known(unit.Bytes(1048576)), max: known(unit.Bytes(2097152))}

// profile is a profile of marking; the template's where the tables do not have it. nil: it is not known.
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

// classes is what the configuration asks of a port.
func (c *sonicConf) classes(port string) *Classes {
	out := &Classes{Trust: unit.Unknown[string]("the configuration gives the port no map")}
	if name, p := c.mapFor(port, "dscp_to_tc_map", "DSCP_TO_TC_MAP"); name != "" {
		out.Trust = known("dscp")
		points, lines := c.numbers("DSCP_TO_TC_MAP", name)
		if len(points) > 0 {
			out.DSCP = points
		}
		for point, line := range lines {
			out.proves("dscp "+strconv.Itoa(point), line)
		}
		if p.Line != "" {
			out.proves("trust", p)
		}
	}
	if name, p := c.mapFor(port, "dot1p_to_tc_map", "DOT1P_TO_TC_MAP"); name != "" {
		out.PCP, _ = c.numbers("DOT1P_TO_TC_MAP", name)
		if trust, ok := out.Trust.Get(); ok && trust == "dscp" {
			out.Trust = known("both")
		} else {
			out.Trust = known("pcp")
			out.proves("trust", p)
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
		out.Watchdog = known(true)
		out.proves("watchdog", p)
	}
	if _, p := c.get("PFC_WD", "GLOBAL", "all"); p.Line != "" {
		out.Watchdog = known(true)
		out.proves("watchdog", p)
	}
	for _, name := range c.keys["CABLE_LENGTH"] {
		if v, p := c.get("CABLE_LENGTH", name, port); v != "" {
			if length, err := strconv.ParseFloat(strings.TrimSuffix(v, "m"), 64); err == nil && length >= 0 {
				out.Cable = known(length)
				out.proves("cable", p)
			}
		}
	}
	if list, why := out.PFC(); why == "" && len(list) > 0 && c.whole && !out.Cable.IsKnown() {
		out.Cable = known(0.0)
		out.proves("cable", out.Proofs["pfc"])
	}
	return out
}

// lossless takes the priorities that are paused.
func (c *sonicConf) lossless(port string, out *Classes) {
	v, p := c.get("PORT_QOS_MAP", port, "pfc_enable")
	list, ok := intList(v)
	said := p.Line != "" && ok || c.pfc[port] != nil || c.fields["PORT_QOS_MAP|"+port] != nil
	if !said {
		return
	}
	if p.Line != "" {
		out.proves("pfc", p)
	}
	for class, on := range c.pfc[port] {
		list = slices.DeleteFunc(list, func(k int) bool { return k == class })
		if on {
			list = append(list, class)
		}
	}
	if at, ok := c.pfcAt[port]; ok {
		out.proves("pfc", at)
	}
	if list == nil {
		list = []int{}
	}
	slices.Sort(list)
	out.PFCReceive, out.PFCSend = known(list), known(list)
}

// inQueue takes what the queue of a class gets.
func (c *sonicConf) inQueue(port string, queue, class int, out *Classes) {
	number := strconv.Itoa(class)
	if name, p := c.queueFields(port, queue, "scheduler"); name != "" {
		kind, _ := c.get("SCHEDULER", name, "type")
		weight, _ := c.get("SCHEDULER", name, "weight")
		out.queue(class, func(q *Queue) {
			if kind != "" {
				q.Strict = known(strings.EqualFold(kind, "STRICT"))
			}
			if v, err := strconv.ParseFloat(weight, 64); err == nil && v >= 0 && v <= 100 && !strings.EqualFold(kind, "STRICT") {
				q.Weight = known(v)
			}
			if !q.ECN.IsKnown() {
				q.ECN = known(false) // the queue is there, and no profile marks it
			}
		})
		out.proves("queue "+number, p)
	}
	name, p := c.queueFields(port, queue, "wred_profile")
	if name == "" {
		return
	}
	x := c.profile(name)
	out.queue(class, func(q *Queue) {
		if x == nil {
			q.ECN = unit.Unknown[bool]("the profile " + name + " is not in the configuration")
			return
		}
		x.marks(q)
	})
	out.proves("ecn "+number, p)
}
