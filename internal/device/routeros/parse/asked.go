package parse

import (
	"cmp"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

const qosMenu = "interface ethernet switch qos"

// routerosQoS has the menus below qos, which ports refer to by name.
type routerosQoS struct {
	whole    bool // all profiles and maps are known
	profiles []facts.Profile
	maps     map[string]map[int]string // by "MAP ip", "MAP vlan": mark to profile
	mapped   map[string]facts.Proof    // by "MAP ip 26"
	automap  bool
	pfc      map[string]routerosPFC
	queues   map[string]map[int]*routerosQueue // by tx-manager and traffic class
	manager  map[string]facts.Proof            // tx-managers that mark as a whole
}

type routerosPFC struct {
	classes unit.Opt[[]int]
	rx, tx  bool
	facts.Proof
}

type routerosQueue struct {
	facts.Queue
	proof, ecn facts.Proof
}

func newRouterosQoS() *routerosQoS {
	return &routerosQoS{maps: map[string]map[int]string{}, mapped: map[string]facts.Proof{},
		pfc: map[string]routerosPFC{}, queues: map[string]map[int]*routerosQueue{}, manager: map[string]facts.Proof{}}
}

// add stores an entry of one of the menus below qos; old is whether it may already exist.
func (q *routerosQoS) add(menu string, values map[string]string, p facts.Proof) {
	v := func(key string) string { return values[key] }
	switch strings.TrimPrefix(menu, qosMenu+" ") {
	case "profile":
		class, err := strconv.Atoi(v("traffic-class"))
		if v("name") == "" {
			return
		}
		for i := range q.profiles {
			if o := &q.profiles[i]; o.Name == v("name") {
				if err == nil {
					o.Class, o.Proof = class, p
				}
				o.DSCP, o.PCP = mark(v("dscp"), o.DSCP), mark(v("pcp"), o.PCP)
				return
			}
		}
		if err == nil {
			none := unit.Unknown[int]("it is not said")
			q.profiles = append(q.profiles, facts.Profile{Name: v("name"), Class: class, DSCP: mark(v("dscp"), none),
				PCP: mark(v("pcp"), none), Proof: p})
		}
	case "map ip", "map vlan":
		kind, key := "ip", "dscp"
		if strings.HasSuffix(menu, "vlan") {
			kind, key = "vlan", "pcp"
		}
		name := cmp.Or(v("map"), "default")
		q.know(name)
		if n, err := strconv.Atoi(v(key)); err == nil && n >= 0 && n < 64 && v("profile") != "" {
			q.maps[name+" "+kind][n] = v("profile")
			q.mapped[name+" "+kind+" "+v(key)] = p
		}
	case "priority-flow-control":
		if v("name") == "" {
			return
		}
		o, there := q.pfc[v("name")]
		o.Proof = p
		if classes := numbers(v("traffic-class")); classes != nil {
			o.classes = unit.Known(classes)
		} else if !there {
			o.classes = unit.Unknown[[]int]("its classes are not said")
		}
		if on, ok := routerosBool(v("rx")); ok {
			o.rx = on
		}
		if on, ok := routerosBool(v("tx")); ok {
			o.tx = on
		}
		q.pfc[v("name")] = o
	case "tx-manager queue":
		name := cmp.Or(v("tx-manager"), "default")
		if class, err := strconv.Atoi(v("traffic-class")); err == nil && class >= 0 && class < 8 {
			q.queue(name, class, values, p)
		}
	case "tx-manager":
		name := cmp.Or(v("name"), "default")
		if ecn, ok := routerosBool(v("ecn")); ok && ecn {
			q.manager[name] = p
		}
	}
}

// know makes the maps of a name known, even if they are empty.
func (q *routerosQoS) know(name string) {
	for _, kind := range []string{" ip", " vlan"} {
		if q.maps[name+kind] == nil {
			q.maps[name+kind] = map[int]string{}
		}
	}
}

// queue stores the configured or printed values of a tx-manager's queue.
func (q *routerosQoS) queue(manager string, class int, values map[string]string, p facts.Proof) {
	if q.queues[manager] == nil {
		q.queues[manager] = map[int]*routerosQueue{}
	}
	k := q.queues[manager][class]
	if k == nil {
		why := "it is not shown"
		k = &routerosQueue{Queue: facts.Queue{Strict: unit.Unknown[bool](why), Weight: unit.Unknown[float64](why),
			ECN: unit.Unknown[bool](why), WRED: unit.Unknown[bool](why),
			Min:  unit.Unknown[unit.Bytes]("RouterOS marks when a queue needs more than its share of the shared buffer"),
			Max:  unit.Unknown[unit.Bytes]("RouterOS has no such threshold"),
			Rate: unit.Unknown[unit.BitRate](why), Active: unit.Unknown[bool](why)}, proof: p}
		q.queues[manager][class] = k
	}
	switch schedule := values["schedule"]; schedule {
	case "strict-priority":
		k.Strict, k.Group, k.proof = unit.Known(true), "", p
	case "low-priority-group", "high-priority-group":
		k.Strict, k.Group, k.proof = unit.Known(false), schedule, p
	}
	if w, err := strconv.ParseFloat(values["weight"], 64); err == nil && w > 0 && w < 1e6 {
		k.Weight = unit.Known(w)
	}
	for _, key := range []string{"ecn-actual", "ecn"} {
		if on, ok := routerosBool(values[key]); ok {
			k.ECN, k.ecn = unit.Known(on), p
			break
		}
	}
	for _, key := range []string{"wred-actual", "wred"} {
		if on, ok := routerosBool(values[key]); ok {
			k.WRED = unit.Known(on)
			break
		}
	}
}

// numbers reads "3" and "3,4".
func numbers(s string) (out []int) {
	for _, v := range listed(s) {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > 63 {
			return nil
		}
		out = append(out, n)
	}
	return out
}

func mark(s string, or unit.Opt[int]) unit.Opt[int] {
	if n, err := strconv.Atoi(s); err == nil && n >= 0 && n < 64 {
		return unit.Known(n)
	}
	return or
}

// class returns the traffic class of a profile.
func (q *routerosQoS) class(profile string) unit.Opt[int] {
	for _, p := range q.profiles {
		if p.Name == profile {
			return unit.Known(p.Class)
		}
	}
	if profile == "default" && q.whole {
		return unit.Known(1) // the factory setting: https://manual.mikrotik.com, "Quality of Service"
	}
	return unit.Unknown[int]("the profile " + profile + " is not shown")
}

var routerosWhere = lazyregexp.New(`([a-z][a-z-]*)=("[^"]*"|\S+)`)

// where returns the conditions of "find where name=x switch=switch1".
func where(target string) map[string]string {
	if !strings.HasPrefix(target, "find") {
		return nil
	}
	out := map[string]string{}
	for _, m := range routerosWhere.FindAllStringSubmatch(target, -1) {
		out[m[1]] = strings.Trim(m[2], `"`)
	}
	return out
}
