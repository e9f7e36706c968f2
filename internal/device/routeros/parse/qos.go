package parse

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// Settle combines the menus and scripts of RouterOS about each port's traffic classes.
func Settle(f *parse.Builder) {
	r := parse.StateOf[routeros](f)
	if r.menus == nil {
		return
	}
	r.effect(f)
	r.asked(f)
}

// effect stores the effective settings that print shows. The content of a menu that was not printed is unknown.
func (r *routeros) effect(f *parse.Builder) {
	q := newRouterosQoS()
	q.automap = r.maps723(f)
	for _, menu := range []string{"profile", "map ip", "map vlan", "priority-flow-control", "tx-manager",
		"tx-manager queue"} {
		for i := range r.menus[qosMenu+" "+menu] {
			row := &r.menus[qosMenu+" "+menu][i]
			q.add(qosMenu+" "+menu, row.values, row.proof(""))
			if class, err := strconv.Atoi(row.values["traffic-class"]); menu == "tx-manager queue" && err == nil &&
				(row.has("I") || row.has("H")) {
				manager := row.values["tx-manager"]
				if k := q.queues[manager][class]; k != nil {
					k.Active = unit.Known(!row.has("I"))
				}
			}
		}
	}
	for i := range r.menus[qosMenu+" port"] {
		row := &r.menus[qosMenu+" port"][i]
		routerosClasses(f, row)
		name := row.values["name"]
		if name == "" || strings.HasSuffix(name, "-cpu") || row.values["trust-l3"] == "" && row.values["pfc"] == "" &&
			row.values["trust-l2"] == "" {
			continue
		}
		n := f.Interface(name)
		c := n.Effect
		if c == nil {
			c = newClasses("print does not show it")
			n.Effect = c
		}
		r.port(q, c, row.values, row.proof)
		r.machine(f, c, row.values["switch"])
	}
}

func newClasses(why string) *facts.Classes {
	no := unit.Unknown[bool](why)
	classes := unit.Unknown[[]int](why)
	return &facts.Classes{Trust: unit.Unknown[string](why), Forced: unit.Unknown[int](why), PFCReceive: classes,
		PFCSend: classes, PauseRx: no, PauseTx: no, Willing: unit.Unknown[bool]("RouterOS only announces"), DCBX: no,
		Watchdog: unit.Unknown[bool]("RouterOS has none"), Capacity: unit.Unknown[int](why), Offload: no}
}

var egressRate = lazyregexp.New(`^egress-rate-queue([0-7])$`)

// port stores the settings of a port's entry, and of the entries that it refers to.
func (r *routeros) port(q *routerosQoS, c *facts.Classes, values map[string]string,
	proof func(key string) facts.Proof) {
	l2, l3 := values["trust-l2"], values["trust-l3"]
	trusts := func(s string) bool { return s == "trust" || s == "keep" }
	switch {
	case trusts(l2) && trusts(l3):
		c.Trust = unit.Known("both")
	case trusts(l3):
		c.Trust = unit.Known("dscp")
	case trusts(l2):
		c.Trust = unit.Known("pcp")
	case l2 == "ignore" && l3 == "ignore":
		c.Trust = unit.Known("none")
		if profile := values["profile"]; profile != "" {
			c.Forced = q.class(profile)
		}
	}
	for _, key := range []string{"trust-l3", "trust-l2"} {
		if values[key] != "" {
			c.Proves("trust", proof(key))
		}
	}
	if pfc := values["pfc"]; pfc != "" {
		p, ok := q.pfc[pfc]
		why := "the PFC profile " + pfc + " is not shown"
		c.PFCReceive, c.PFCSend = unit.Unknown[[]int](why), unit.Unknown[[]int](why)
		switch {
		case pfc == "disabled":
			c.PFCReceive, c.PFCSend = unit.Known([]int{}), unit.Known([]int{})
		case ok && p.classes.IsKnown():
			c.PFCReceive, c.PFCSend = unit.Known([]int{}), unit.Known([]int{})
			if p.rx {
				c.PFCReceive = p.classes
			}
			if p.tx {
				c.PFCSend = p.classes
			}
			c.Proves("pfc profile", p.Proof)
		}
		c.Proves("pfc", proof("pfc"))
	}
	manager := cmp.Or(values["tx-manager"], "default")
	for class, k := range q.queues[manager] {
		c.SetQueue(class, func(o *facts.Queue) {
			if rate := o.Rate; rate.IsKnown() {
				*o = k.Queue
				o.Rate = rate
				return
			}
			*o = k.Queue
		})
		c.Proves(fmt.Sprintf("queue %d", class), k.proof)
		if k.ecn.Line != "" {
			c.Proves(fmt.Sprintf("ecn %d", class), k.ecn)
		}
	}
	if p, ok := q.manager[manager]; ok {
		c.Proves("ecn of all", p)
	}
	for key, value := range values {
		if m := egressRate.FindStringSubmatch(key); m != nil {
			if rate, ok := routerosRate(value); ok {
				c.SetQueue(int(m[1][0]-'0'), func(o *facts.Queue) { o.Rate = unit.Known(rate) })
				c.Proves("rate "+m[1], proof(key))
			}
		}
	}
	c.Profiles = slices.Clone(q.profiles)
	r.marks(q, c, values)
}

// marks stores the class of each code point and priority.
func (r *routeros) marks(q *routerosQoS, c *facts.Classes, values map[string]string) {
	name := cmp.Or(values["map"], "default")
	rest := q.class("default")
	for _, kind := range []string{"ip", "vlan"} {
		rows, shown := q.maps[name+" "+kind]
		if !shown && !q.automap {
			continue
		}
		out := map[int]int{}
		if class, ok := rest.Get(); ok {
			for n := range map[string]int{"ip": 64, "vlan": 8}[kind] {
				out[n] = class
			}
		}
		if q.automap {
			for _, p := range q.profiles {
				if n, ok := map[string]unit.Opt[int]{"ip": p.DSCP, "vlan": p.PCP}[kind].Get(); ok && p.Name != "default" {
					out[n] = p.Class
					c.Proves(aspectOf(kind, n), p.Proof)
				}
			}
		}
		for n, profile := range rows {
			if class, ok := q.class(profile).Get(); ok {
				out[n] = class
				c.Proves(aspectOf(kind, n), q.mapped[fmt.Sprintf("%s %s %d", name, kind, n)])
			}
		}
		if kind == "ip" {
			c.DSCP = out
		} else {
			c.PCP = out
		}
	}
}

func aspectOf(kind string, n int) string {
	return map[string]string{"ip": "dscp", "vlan": "pcp"}[kind] + " " + strconv.Itoa(n)
}

// maps723 reports whether the release makes the maps of trusted ports by itself: 7.23 and later.
func (r *routeros) maps723(f *parse.Builder) bool {
	major, minor, ok := RouterOSRelease(f.Kernel)
	return ok && (major > 7 || major == 7 && minor >= 23)
}

var routerosVersion = lazyregexp.New(`^RouterOS (\d{1,3})\.(\d{1,4})`)

// RouterOSRelease reads "RouterOS 7.17beta4" in Facts.Kernel; ok is false for another system, or an unknown release.
func RouterOSRelease(kernel string) (major, minor int, ok bool) {
	m := routerosVersion.FindStringSubmatch(kernel)
	if m == nil {
		return 0, 0, false
	}
	major, _ = strconv.Atoi(m[1])
	minor, _ = strconv.Atoi(m[2])
	return major, minor, true
}

// machine stores the settings of all ports: hardware offload of the port's switch, and DCBX.
func (r *routeros) machine(f *parse.Builder, c *facts.Classes, of string) {
	for i := range r.menus["interface ethernet switch"] {
		row := &r.menus["interface ethernet switch"][i]
		if row.values["name"] == of && row.values["qos-hw-offloading"] != "" {
			c.Offload = row.opt("qos-hw-offloading")
			c.Proves("offload", row.proof("qos-hw-offloading"))
		}
	}
	for i := range r.menus["ip neighbor discovery-settings"] {
		row := &r.menus["ip neighbor discovery-settings"][i]
		if row.values["lldp-dcbx"] != "" {
			c.DCBX = row.opt("lldp-dcbx")
			c.Proves("dcbx", row.proof("lldp-dcbx"))
		}
	}
}

// asked stores the settings of exports and scripts, in their order.
func (r *routeros) asked(f *parse.Builder) {
	if len(r.script) == 0 {
		return
	}
	q := newRouterosQoS()
	q.whole, q.automap = r.whole, r.automap || r.maps723(f)
	type port struct {
		values map[string]string
		proofs map[string]facts.Proof
	}
	ports := map[string]*port{}
	var order []string
	var later []routerosStatement
	offload, dcbx := unit.Unknown[bool]("it is not set"), unit.Unknown[bool]("it is not set")
	var offloadProof, dcbxProof facts.Proof
	if r.whole {
		q.know("default")
	}
	for _, s := range r.script {
		found := where(s.target)
		switch {
		case s.verb == "remove" || s.verb == "unset" || s.verb == "enable" || s.verb == "disable":
		case s.menu == "interface ethernet":
			later = append(later, s) // after the ports that it matches are known
		case s.menu == "interface ethernet switch" && s.values["qos-hw-offloading"] != "":
			if on, ok := routerosBool(s.values["qos-hw-offloading"]); ok {
				offload, offloadProof = unit.Known(on), s.Proof
			}
		case s.menu == "ip neighbor discovery-settings" && s.values["lldp-dcbx"] != "":
			if on, ok := routerosBool(s.values["lldp-dcbx"]); ok {
				dcbx, dcbxProof = unit.Known(on), s.Proof
			}
		case s.menu == qosMenu+" tx-manager queue" && s.verb == "set":
			for _, class := range numbers(cmp.Or(found["traffic-class"], s.target)) {
				q.queue(cmp.Or(found["tx-manager"], "default"), class, s.values, s.Proof)
			}
		case s.menu == qosMenu+" tx-manager" && s.verb == "set":
			q.add(s.menu, s.values, s.Proof)
			if s.values["ecn"] != "" {
				for class := range 8 {
					q.queue("default", class, map[string]string{"ecn": s.values["ecn"]}, s.Proof)
				}
			}
		case s.menu == qosMenu+" port":
			names := listed(cmp.Or(found["name"], s.target))
			if found != nil && found["name"] == "" {
				names = slices.Sorted(maps.Keys(ports)) // all that were named
			}
			for _, name := range names {
				if name == "" || strings.HasPrefix(name, "find") {
					continue
				}
				if ports[name] == nil {
					ports[name] = &port{map[string]string{}, map[string]facts.Proof{}}
					order = append(order, name)
				}
				for key, value := range s.values {
					ports[name].values[key], ports[name].proofs[key] = value, s.Proof
				}
			}
		case strings.HasPrefix(s.menu, qosMenu+" "):
			values := s.values
			if s.verb == "set" {
				values = maps.Clone(s.values)
				values["name"] = cmp.Or(found["name"], s.values["name"], s.target)
			}
			q.add(s.menu, values, s.Proof)
		}
	}
	for _, name := range order {
		p := ports[name]
		for _, key := range []string{"trust-l2", "trust-l3"} { // missing settings have the factory value
			other := map[string]string{"trust-l2": "trust-l3", "trust-l3": "trust-l2"}[key]
			if p.values[key] == "" && (p.values[other] != "" || r.whole) {
				p.values[key] = "ignore"
				p.proofs[key] = p.proofs[other]
			}
		}
		c := newClasses("it is not set")
		r.port(q, c, p.values, func(key string) facts.Proof { return p.proofs[key] })
		if offload.IsKnown() {
			c.Offload = offload
			c.Proves("offload", offloadProof)
		}
		if dcbx.IsKnown() {
			c.DCBX = dcbx
			c.Proves("dcbx", dcbxProof)
		}
		f.Interface(name).Asked = c
	}
	for _, s := range later {
		r.ethernet(f, s, where(s.target))
	}
}

// ethernet stores L2MTU, which takes effect immediately.
func (r *routeros) ethernet(f *parse.Builder, s routerosStatement, found map[string]string) {
	mtu, err := strconv.Atoi(s.values["l2mtu"])
	if err != nil || mtu <= 0 {
		return
	}
	set := func(n *facts.Interface) {
		if !n.L2MTU.IsKnown() || strings.HasPrefix(n.Proofs["l2mtu"].Line, "set ") ||
			strings.HasPrefix(n.Proofs["l2mtu"].Line, "/interface ethernet set") {
			n.L2MTU = unit.Known(mtu)
			n.Proves("l2mtu", s.Proof)
		}
	}
	if name := cmp.Or(found["name"], found["default-name"]); name != "" {
		set(f.Interface(name))
	} else if found != nil {
		for i := range f.NICs {
			if n := &f.NICs[i]; n.Effect != nil || strings.HasPrefix(n.Name, "sfp") || strings.HasPrefix(n.Name, "qsfp") {
				set(n)
			}
		}
	} else if s.target != "" {
		set(f.Interface(s.target))
	}
}

// putRouterOSQoSCounters stores the counters of /interface ethernet switch qos port print stats and pfc.
func putRouterOSQoSCounters(f *parse.Builder, row *routerosRow) {
	name := row.values["name"]
	if name == "" {
		return
	}
	none := unit.Unknown[uint64]("print does not show how many frames were moved")
	sent := none
	if n, ok := row.count("tx-packet"); ok {
		sent = unit.Known(n)
	}
	for _, c := range []struct {
		key  string
		what facts.Counted
		of   unit.Opt[uint64]
	}{{"drop-packet", facts.QueueDrops, sent}, {"rx-pause", facts.PauseReceived, none},
		{"tx-pause", facts.PauseSent, sent}, {"pfc-tx", facts.PauseSent, sent}, {"pfc-rx", facts.PauseReceived, none}} {
		if n, ok := row.count(c.key); ok {
			f.Counted(c.what, name, n, c.of, row.from(c.key))
		}
	}
	for class := range 8 {
		key := fmt.Sprintf("pfc%d-use", class)
		use, ok := row.count(key)
		limit, ok2 := row.count(fmt.Sprintf("pfc%d-pause-threshold", class))
		if ok && ok2 && limit > 0 && use >= limit {
			f.Happened(facts.Event{What: facts.Pausing, Subject: name,
				Detail: fmt.Sprintf("class %d has %d bytes waiting, and pauses from %d on", class, use, limit),
				Proof:  row.proof(key)})
		}
	}
}
