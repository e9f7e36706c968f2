package facts

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// settleRouterOS puts together what the menus and scripts of RouterOS say of each port's traffic classes.
func settleRouterOS(f *Facts) {
	r := f.routeros
	if r == nil {
		return
	}
	r.effect(f)
	r.asked(f)
}

// effect is what print shows. A menu that was not shown is not known.
func (r *routeros) effect(f *Facts) {
	q := newRouterosQoS()
	q.automap = r.maps723(f)
	for _, menu := range []string{"profile", "map ip", "map vlan", "priority-flow-control", "tx-manager", "tx-manager queue"} {
		for i := range r.menus[qosMenu+" "+menu] {
			row := &r.menus[qosMenu+" "+menu][i]
			q.add(qosMenu+" "+menu, row.values, row.proof(""))
			if class, err := strconv.Atoi(row.values["traffic-class"]); menu == "tx-manager queue" && err == nil && (row.has("I") || row.has("H")) {
				manager := row.values["tx-manager"]
				if k := q.queues[manager][class]; k != nil {
					k.Active = known(!row.has("I"))
				}
			}
		}
	}
	for i := range r.menus[qosMenu+" port"] {
		row := &r.menus[qosMenu+" port"][i]
		f.routerosClasses(row)
		name := row.values["name"]
		if name == "" || strings.HasSuffix(name, "-cpu") || row.values["trust-l3"] == "" && row.values["pfc"] == "" && row.values["trust-l2"] == "" {
			continue
		}
		n := f.nic(name)
		c := n.Effect
		if c == nil {
			c = newClasses("print does not show it")
			n.Effect = c
		}
		r.port(q, c, row.values, row.proof)
		r.machine(f, c, row.values["switch"])
	}
}

func newClasses(why string) *Classes {
	no := unit.Unknown[bool](why)
	classes := unit.Unknown[[]int](why)
	return &Classes{Trust: unit.Unknown[string](why), Forced: unit.Unknown[int](why), PFCReceive: classes, PFCSend: classes, PauseRx: no, PauseTx: no,
		Willing: unit.Unknown[bool]("RouterOS only announces"), DCBX: no, Watchdog: unit.Unknown[bool]("RouterOS has none"), Capacity: unit.Unknown[int](why), Offload: no}
}

var egressRate = lazyregexp.New(`^egress-rate-queue([0-7])$`)

// port fills what a port's own entry says, and what that leads to.
func (r *routeros) port(q *routerosQoS, c *Classes, values map[string]string, proof func(key string) Proof) {
	l2, l3 := values["trust-l2"], values["trust-l3"]
	trusts := func(s string) bool { return s == "trust" || s == "keep" }
	switch {
	case trusts(l2) && trusts(l3):
		c.Trust = known("both")
	case trusts(l3):
		c.Trust = known("dscp")
	case trusts(l2):
		c.Trust = known("pcp")
	case l2 == "ignore" && l3 == "ignore":
		c.Trust = known("none")
		if profile := values["profile"]; profile != "" {
			c.Forced = q.class(profile)
		}
	}
	for _, key := range []string{"trust-l3", "trust-l2"} {
		if values[key] != "" {
			c.proves("trust", proof(key))
		}
	}
	if pfc := values["pfc"]; pfc != "" {
		p, ok := q.pfc[pfc]
		why := "the PFC profile " + pfc + " is not shown"
		c.PFCReceive, c.PFCSend = unit.Unknown[[]int](why), unit.Unknown[[]int](why)
		switch {
		case pfc == "disabled":
			c.PFCReceive, c.PFCSend = known([]int{}), known([]int{})
		case ok && p.classes.IsKnown():
			c.PFCReceive, c.PFCSend = known([]int{}), known([]int{})
			if p.rx {
				c.PFCReceive = p.classes
			}
			if p.tx {
				c.PFCSend = p.classes
			}
			c.proves("pfc profile", p.Proof)
		}
		c.proves("pfc", proof("pfc"))
	}
	manager := values["tx-manager"]
	if manager == "" {
		manager = "default"
	}
	for class, k := range q.queues[manager] {
		c.queue(class, func(o *Queue) {
			if rate := o.Rate; rate.IsKnown() {
				*o = k.Queue
				o.Rate = rate
				return
			}
			*o = k.Queue
		})
		c.proves(fmt.Sprintf("queue %d", class), k.proof)
		if k.ecn.Line != "" {
			c.proves(fmt.Sprintf("ecn %d", class), k.ecn)
		}
	}
	if p, ok := q.manager[manager]; ok {
		c.proves("ecn of all", p)
	}
	for key, value := range values {
		if m := egressRate.FindStringSubmatch(key); m != nil {
			if rate, ok := routerosRate(value); ok {
				c.queue(int(m[1][0]-'0'), func(o *Queue) { o.Rate = known(rate) })
				c.proves("rate "+m[1], proof(key))
			}
		}
	}
	c.Profiles = slices.Clone(q.profiles)
	r.marks(q, c, values)
}

// marks fills which code points and priorities are sorted into which class.
func (r *routeros) marks(q *routerosQoS, c *Classes, values map[string]string) {
	name := values["map"]
	if name == "" {
		name = "default"
	}
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
					c.proves(aspectOf(kind, n), p.Proof)
				}
			}
		}
		for n, profile := range rows {
			if class, ok := q.class(profile).Get(); ok {
				out[n] = class
				c.proves(aspectOf(kind, n), q.mapped[fmt.Sprintf("%s %s %d", name, kind, n)])
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

// maps723 says whether the release is one that makes the maps of trusted ports by itself: 7.23 and later.
func (r *routeros) maps723(f *Facts) bool {
	major, minor, ok := RouterOSRelease(f.Kernel)
	return ok && (major > 7 || major == 7 && minor >= 23)
}

var routerosVersion = lazyregexp.New(`^RouterOS (\d{1,3})\.(\d{1,4})`)

// RouterOSRelease reads "RouterOS 7.17beta4" as Facts.Kernel has it; ok is false for another system, or a release that is not known.
func RouterOSRelease(kernel string) (major, minor int, ok bool) {
	m := routerosVersion.FindStringSubmatch(kernel)
	if m == nil {
		return 0, 0, false
	}
	major, _ = strconv.Atoi(m[1])
	minor, _ = strconv.Atoi(m[2])
	return major, minor, true
}

// machine fills what is set for all ports at once: hardware offload of the port's switch, and DCBX.
func (r *routeros) machine(f *Facts, c *Classes, of string) {
	for i := range r.menus["interface ethernet switch"] {
		row := &r.menus["interface ethernet switch"][i]
		if row.values["name"] == of && row.values["qos-hw-offloading"] != "" {
			c.Offload = row.opt("qos-hw-offloading")
			c.proves("offload", row.proof("qos-hw-offloading"))
		}
	}
	for i := range r.menus["ip neighbor discovery-settings"] {
		row := &r.menus["ip neighbor discovery-settings"][i]
		if row.values["lldp-dcbx"] != "" {
			c.DCBX = row.opt("lldp-dcbx")
			c.proves("dcbx", row.proof("lldp-dcbx"))
		}
	}
}

// asked is what exports and scripts set, in their order.
func (r *routeros) asked(f *Facts) {
	if len(r.script) == 0 {
		return
	}
	q := newRouterosQoS()
	q.whole, q.automap = r.whole, r.automap || r.maps723(f)
	type port struct {
		values map[string]string
		proofs map[string]Proof
	}
	ports := map[string]*port{}
	var order []string
	var later []routerosStatement
	offload, dcbx := unit.Unknown[bool]("it is not set"), unit.Unknown[bool]("it is not set")
	var offloadProof, dcbxProof Proof
	if r.whole {
		q.know("default")
	}
	for _, s := range r.script {
		found := where(s.target)
		switch {
		case s.verb == "remove" || s.verb == "unset" || s.verb == "enable" || s.verb == "disable":
		case s.menu == "interface ethernet":
			later = append(later, s) // when the ports that it finds are known
		case s.menu == "interface ethernet switch" && s.values["qos-hw-offloading"] != "":
			if on, ok := routerosBool(s.values["qos-hw-offloading"]); ok {
				offload, offloadProof = known(on), s.Proof
			}
		case s.menu == "ip neighbor discovery-settings" && s.values["lldp-dcbx"] != "":
			if on, ok := routerosBool(s.values["lldp-dcbx"]); ok {
				dcbx, dcbxProof = known(on), s.Proof
			}
		case s.menu == qosMenu+" tx-manager queue" && s.verb == "set":
			for _, class := range numbers(firstOf(found["traffic-class"], s.target)) {
				q.queue(firstOf(found["tx-manager"], "default"), class, s.values, s.Proof)
			}
		case s.menu == qosMenu+" tx-manager" && s.verb == "set":
			q.add(s.menu, s.values, s.Proof)
			if s.values["ecn"] != "" {
				for class := range 8 {
					q.queue("default", class, map[string]string{"ecn": s.values["ecn"]}, s.Proof)
				}
			}
		case s.menu == qosMenu+" port":
			names := listed(firstOf(found["name"], s.target))
			if found != nil && found["name"] == "" {
				names = slices.Sorted(maps.Keys(ports)) // all that were named
			}
			for _, name := range names {
				if name == "" || strings.HasPrefix(name, "find") {
					continue
				}
				if ports[name] == nil {
					ports[name] = &port{map[string]string{}, map[string]Proof{}}
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
				values["name"] = firstOf(found["name"], s.values["name"], s.target)
			}
			q.add(s.menu, values, s.Proof)
		}
	}
	for _, name := range order {
		p := ports[name]
		for _, key := range []string{"trust-l2", "trust-l3"} { // what is not set stays as the factory has it
			other := map[string]string{"trust-l2": "trust-l3", "trust-l3": "trust-l2"}[key]
			if p.values[key] == "" && (p.values[other] != "" || r.whole) {
				p.values[key] = "ignore"
				p.proofs[key] = p.proofs[other]
			}
		}
		c := newClasses("it is not set")
		r.port(q, c, p.values, func(key string) Proof { return p.proofs[key] })
		if offload.IsKnown() {
			c.Offload = offload
			c.proves("offload", offloadProof)
		}
		if dcbx.IsKnown() {
			c.DCBX = dcbx
			c.proves("dcbx", dcbxProof)
		}
		f.nic(name).Asked = c
	}
	for _, s := range later {
		r.ethernet(f, s, where(s.target))
	}
}

// ethernet takes L2MTU, which a switch has from the moment on that it is set.
func (r *routeros) ethernet(f *Facts, s routerosStatement, found map[string]string) {
	mtu, err := strconv.Atoi(s.values["l2mtu"])
	if err != nil || mtu <= 0 {
		return
	}
	set := func(n *Interface) {
		if !n.L2MTU.IsKnown() || strings.HasPrefix(n.Proofs["l2mtu"].Line, "set ") || strings.HasPrefix(n.Proofs["l2mtu"].Line, "/interface ethernet set") {
			n.L2MTU = known(mtu)
			n.proves("l2mtu", s.Proof)
		}
	}
	if name := firstOf(found["name"], found["default-name"]); name != "" {
		set(f.nic(name))
	} else if found != nil {
		for i := range f.NICs {
			if n := &f.NICs[i]; n.Effect != nil || strings.HasPrefix(n.Name, "sfp") || strings.HasPrefix(n.Name, "qsfp") {
				set(n)
			}
		}
	} else if s.target != "" {
		set(f.nic(s.target))
	}
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// putRouterOSQoSCounters stores what /interface ethernet switch qos port print stats and pfc count.
func putRouterOSQoSCounters(f *Facts, row *routerosRow) {
	name := row.values["name"]
	if name == "" {
		return
	}
	none := unit.Unknown[uint64]("print does not show how many frames were moved")
	sent := none
	if n, ok := row.count("tx-packet"); ok {
		sent = known(n)
	}
	for _, c := range []struct {
		key  string
		what Counted
		of   unit.Opt[uint64]
	}{{"drop-packet", QueueDrops, sent}, {"rx-pause", PauseReceived, none}, {"tx-pause", PauseSent, sent}, {"pfc-tx", PauseSent, sent}, {"pfc-rx", PauseReceived, none}} {
		if n, ok := row.count(c.key); ok {
			f.counted(c.what, name, n, c.of, row.from(c.key))
		}
	}
	for class := range 8 {
		key := fmt.Sprintf("pfc%d-use", class)
		use, ok := row.count(key)
		limit, ok2 := row.count(fmt.Sprintf("pfc%d-pause-threshold", class))
		if ok && ok2 && limit > 0 && use >= limit {
			f.happened(Event{What: Pausing, Subject: name, Detail: fmt.Sprintf("class %d has %d bytes waiting, and pauses from %d on", class, use, limit), Proof: row.proof(key)})
		}
	}
}
