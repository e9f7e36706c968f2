package facts

import (
	"maps"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// blocks are the maps of NVIDIA's switches as they come: eight code points a priority, and each priority of a tag to its own.
func blocks() (dscp, pcp map[int]int) {
	dscp, pcp = map[int]int{}, map[int]int{}
	for p := range 64 {
		dscp[p] = p / 8
	}
	for p := range 8 {
		pcp[p] = p
	}
	return dscp, pcp
}

// bound brings maps to switch priorities to those of the traffic classes that the priorities are bound to.
func bound(to map[int]int, priorities map[int]int) map[int]int {
	out := maps.Clone(to)
	for from, priority := range out {
		if class, ok := priorities[priority]; ok {
			out[from] = class
		}
	}
	return out
}

// roceMode is what a RoCE mode of NVIDIA's switches sets on all ports: priority 3 lossless or not, half of the link to it, 6 first,
// the rest the other half. Source: the manual of Onyx 3.10, "RoCE Commands"; the guide of Cumulus Linux 5.15, "RoCE".
func roceMode(lossless bool) *Classes {
	dscp, pcp := blocks()
	c := &Classes{Priorities: map[int]int{0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 6, 7: 0}}
	c.DSCP, c.PCP = bound(dscp, c.Priorities), bound(pcp, c.Priorities)
	list := []int{}
	if lossless {
		list = []int{3}
	}
	c.PFCReceive, c.PFCSend = known(list), known(list)
	c.Queues = map[int]Queue{
		0: {Strict: known(false), Weight: known(50.0), ECN: known(false)},
		3: {Strict: known(false), Weight: known(50.0), ECN: known(true), Min: known(unit.Bytes(150e3)), Max: known(unit.Bytes(1500e3))},
		6: {Strict: known(true), ECN: known(false)},
	}
	return c
}

// ofAll notes what is so on all ports: the settings that a switch has once.
func (f *Facts) ofAll(c *Classes) { f.said.all = c }

// settleAll gives it to each port, where nothing else is said of an aspect.
func settleAll(f *Facts) {
	all := f.said.all
	f.said.all = nil
	if all == nil {
		return
	}
	f.Switch.Effect = all
	for i := range f.NICs {
		n := &f.NICs[i]
		if n.Kind != "" || strings.HasPrefix(n.Name, "mgmt") || n.Name == "eth0" || n.Name == "lo" {
			continue
		}
		n.effect().under(all)
	}
}

// under takes what is known of all ports where nothing is known of this one.
func (c *Classes) under(all *Classes) {
	under := func(o *unit.Opt[bool], v unit.Opt[bool]) {
		if !o.IsKnown() {
			*o = v
		}
	}
	if !c.Trust.IsKnown() {
		c.Trust = all.Trust
	}
	if !c.PFCReceive.IsKnown() {
		c.PFCReceive = all.PFCReceive
	}
	if !c.PFCSend.IsKnown() {
		c.PFCSend = all.PFCSend
	}
	under(&c.DCBX, all.DCBX)
	under(&c.Watchdog, all.Watchdog)
	if c.DSCP == nil {
		c.DSCP = maps.Clone(all.DSCP)
	}
	if c.PCP == nil {
		c.PCP = maps.Clone(all.PCP)
	}
	if c.Priorities == nil {
		c.Priorities = maps.Clone(all.Priorities)
	}
	if c.Cable == (unit.Opt[float64]{}) {
		c.Cable = all.Cable
	}
	for class, q := range all.Queues {
		c.queue(class, func(have *Queue) {
			under(&have.Strict, q.Strict)
			under(&have.ECN, q.ECN)
			under(&have.WRED, q.WRED)
			if !have.Weight.IsKnown() && !have.Strict.Or(false) {
				have.Weight = q.Weight
			}
			if !have.Min.IsKnown() {
				have.Min = q.Min
			}
			if !have.Max.IsKnown() {
				have.Max = q.Max
			}
		})
	}
	for aspect, p := range all.Proofs {
		c.proves(aspect, p)
	}
}

var (
	onyxRoCEKey  = lazyregexp.New(`^\s*([A-Za-z][\w -]*?)\s*:\s*(.*?)\s*$`)
	onyxRoCETC   = lazyregexp.New(`(?i)^\s*(\d)\s+(\d)\s+(?:\S+\s+)?(?:(WRR)\s+(\d+)%|(Strict))\s*$`)
	onyxRoCEPrio = lazyregexp.New(`(?i)^switch-priority (\d)$`)
	onyxRoCENum  = lazyregexp.New(`^(\d+)`)
)

// readOnyxRoCE reads "show roce" of Onyx, what is so on all ports. There is no capture of it: the form is that of the manual of 3.10, as
// package config expects it.
func readOnyxRoCE(f *Facts, _ []string, text []byte) error {
	c := &Classes{}
	mode, pfc := "", []int{}
	var ecn, off bool
	var least, most unit.Opt[unit.Bytes]
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		p := f.proof(line)
		if m := onyxRoCETC.FindStringSubmatch(line); m != nil {
			class, _ := strconv.Atoi(m[2])
			share, err := strconv.ParseFloat(m[4], 64)
			c.queue(class, func(q *Queue) {
				q.Strict = known(m[3] == "")
				if err == nil {
					q.Weight = known(share)
				}
			})
			if priority, _ := strconv.Atoi(m[1]); priority < 8 {
				if c.Priorities == nil {
					c.Priorities = map[int]int{}
				}
				c.Priorities[priority] = class
			}
			c.proves("queue "+m[2], p)
			continue
		}
		m := onyxRoCEKey.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		value := strings.ToLower(m[2])
		switch key := strings.ToLower(m[1]); {
		case key == "roce mode":
			mode = value
			c.proves("mode", p)
		case key == "port trust mode":
			c.Trust = onyxTrust(value)
			c.proves("trust", p)
		case key == "mode" && strings.Contains(value, "ecn"):
			ecn = true
			c.proves("ecn 3", p)
		case key == "min":
			least = onyxBytes(onyxRoCENum.FindString(value) + "KB")
		case key == "max":
			most = onyxBytes(onyxRoCENum.FindString(value) + "KB")
		case key == "pfc":
			off = strings.HasPrefix(value, "disabled")
			c.proves("pfc", p)
		case onyxRoCEPrio.MatchString(key) && strings.HasPrefix(value, "enabled"):
			class, _ := strconv.Atoi(onyxRoCEPrio.FindStringSubmatch(key)[1])
			pfc = append(pfc, class)
			c.Proofs["pfc"] = p
		}
	}
	if mode == "" {
		return toolError(text)
	}
	if off {
		pfc = []int{}
	}
	if len(pfc) > 0 || off || mode == "lossy" {
		c.PFCReceive, c.PFCSend = known(pfc), known(pfc)
	}
	if ecn {
		c.queue(3, func(q *Queue) { q.ECN, q.Min, q.Max = known(true), least, most })
	}
	f.ofAll(c)
	return nil
}

// BufferPool is a part of a switch's buffer that some priorities have to themselves.
type BufferPool struct {
	Name       string
	Lossless   bool
	Priorities []int
	Proof
}

// readOnyxPools reads "show traffic pool", JSON. Capture: mellanox.onyx, where it is kept as "show buffers details".
func readOnyxPools(f *Facts, _ []string, text []byte) error {
	n, err := jsonTree(text)
	if err != nil {
		return err
	}
	pools := []BufferPool{}
	for _, p := range n.members() {
		kind, priorities := p.kid("Type"), p.kid("Switch Priorities")
		if kind == nil {
			continue
		}
		list, _ := intList(priorities.str())
		pools = append(pools, BufferPool{p.key, strings.EqualFold(kind.str(), "lossless"), list, f.proof(priorities.line())})
	}
	if len(pools) == 0 && n.kid("Exception list") == nil {
		return toolError(text)
	}
	f.Switch.Pools = pools
	return nil
}

// readOnyxLLDP reads "show lldp interfaces", JSON: whether a port announces its classes. Capture: mellanox.onyx.
func readOnyxLLDP(f *Facts, _ []string, text []byte) error {
	return f.onyxEach(text, func(port *Interface, of *jsonNode) {
		send, what := of.kid("Transmit"), of.kid("TLVs")
		if send == nil || what == nil {
			return
		}
		c := port.effect()
		c.DCBX = known(send.str() == "Enabled" && strings.Contains(what.str(), "PFC"))
		c.proves("dcbx", f.proof(send.line()))
	})
}

var (
	onyxRelease = lazyregexp.New(`(?m)^Product release:\s+(\S+)`)
	onyxProduct = lazyregexp.New(`(?m)^Product name:\s+(\S+)`)
)

// readOnyxVersion reads "show version", text or JSON. Captures: MLNX-OS 3.6.5000, Onyx 3.7.1160.
func readOnyxVersion(f *Facts, _ []string, text []byte) error {
	name, release := "", ""
	if m := onyxRelease.FindSubmatch(text); m != nil {
		release = string(m[1])
		if p := onyxProduct.FindSubmatch(text); p != nil {
			name = string(p[1])
		}
	} else if n, err := jsonTree(text); err == nil {
		name, release = n.kid("Product name").str(), n.kid("Product release").str()
	}
	if release == "" {
		return toolError(text)
	}
	f.isProduct("Mellanox", "", strings.TrimSpace(name+" "+release))
	return nil
}
