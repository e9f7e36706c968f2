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
)

// classesOf returns the owner of a DCB setting: an adapter with its own (IfAlias), else the machine.
func classesOf(f *parse.Builder, o *psObject) *facts.Classes {
	if alias := o.text("IfAlias", "InterfaceAlias"); alias != "" {
		n := f.Interface(alias)
		adapterOf(n)
		if n.Effect == nil {
			n.Effect = &facts.Classes{}
		}
		return n.Effect
	}
	p := policy(windowsOf(f))
	if p.Effect == nil {
		p.Effect = &facts.Classes{}
	}
	return p.Effect
}

// takeFlowControl reads Get-NetQosFlowControl: PFC by priority.
func takeFlowControl(f *parse.Builder, o *psObject) {
	n, ok := o.number("Priority").Get()
	on, ok2 := o.flag("Enabled").Get()
	if !ok || !ok2 || n > 7 {
		return
	}
	c := classesOf(f, o)
	have := slices.Clone(c.PFCReceive.Or([]int{}))
	if on && !slices.Contains(have, int(n)) {
		have = append(have, int(n))
		slices.Sort(have)
		c.Proves("pfc", f.Proof(o.line("Enabled")))
	}
	c.Proves("pfc "+strconv.Itoa(int(n)), f.Proof(o.line("Enabled")))
	c.PFCReceive, c.PFCSend = unit.Known(have), unit.Known(have)
}

// takeTrafficClass reads Get-NetQosTrafficClass. Windows numbers classes in this order, its own first.
func takeTrafficClass(f *parse.Builder, o *psObject) {
	list, ok := priorities(o.text("Priority"))
	share := o.number("Bandwidth(%)", "BandwidthPercentage", "Bandwidth")
	if !ok {
		return
	}
	c := classesOf(f, o)
	class := len(c.Queues)
	if class > 7 {
		return
	}
	setShare(c, class, o.text("Algorithm"), share, list)
	c.Proves("queue "+strconv.Itoa(class), f.Proof(o.line("Priority")))
}

// setShare sets the algorithm of a class, its share in percent, and its priorities.
func setShare(c *facts.Classes, class int, algorithm string, percent unit.Opt[int64], list []int) {
	c.SetQueue(class, func(q *facts.Queue) {
		q.Strict = unit.Known(strings.EqualFold(algorithm, "Strict"))
		if w, ok := percent.Get(); ok && w <= 100 && !q.Strict.Or(false) {
			q.Weight = unit.Known(float64(w))
		}
	})
	if c.Priorities == nil {
		c.Priorities = map[int]int{}
	}
	for _, p := range list {
		c.Priorities[p] = class
	}
}

// takeDcbx reads Get-NetQosDcbxSetting.
func takeDcbx(f *parse.Builder, o *psObject) {
	c := classesOf(f, o)
	c.Willing = o.flag("Willing")
	if c.Willing.IsKnown() {
		c.Proves("willing", f.Proof(o.line("Willing")))
	}
}

var (
	qosClass     = lazyregexp.New(`^(\d+)\s+(ETS|Strict)\s+(?:(\d+)\s*%?\s+)?(\d[\d,-]*)$`)
	qosPause     = lazyregexp.New(`^Priorit\w+\s+(\d[\d,\s-]*?)\s+Enabled$`)
	qosMaxima    = lazyregexp.New(`NumTCs\(Max/ETS/PFC\)\s*:\s*(\d+)/(\d+)/(\d+)\s+(\d+)/(\d+)/(\d+)`)
	qosExchanged = lazyregexp.New(`DcbxSupport\s*:\s*(\S+)\s+(\S+)`)
)

// takeAdapterQos reads Get-NetAdapterQos, which prints text: the effective settings of an adapter.
func takeAdapterQos(f *parse.Builder, o *psObject) {
	n := adapter(f, o)
	if n == nil {
		return
	}
	adapterOf(n)
	if n.Effect == nil {
		n.Effect = &facts.Classes{}
	}
	c := n.Effect
	all := ""
	for _, p := range o.props {
		all += p.name + " : " + p.value + "\n"
	}
	if m := qosMaxima.FindStringSubmatch(all); m != nil {
		if v, err := strconv.Atoi(m[3]); err == nil && v <= 8 {
			c.Capacity = unit.Known(v)
		}
	}
	if m := qosExchanged.FindStringSubmatch(all); m != nil {
		c.DCBX = unit.Known(!strings.EqualFold(m[2], "None"))
	}
	if on, ok := o.flag("Enabled").Get(); ok && !on {
		c.PFCReceive, c.PFCSend = unit.Known([]int{}), unit.Known([]int{})
		c.Proves("pfc", f.Proof(o.line("Enabled")))
		return
	}
	paused := strings.TrimSpace(o.text("OperationalFlowControl"))
	var list []int
	switch m := qosPause.FindStringSubmatch(paused); {
	case paused == "All Priorities Disabled":
		list = []int{}
	case paused == "All Priorities Enabled":
		list = []int{0, 1, 2, 3, 4, 5, 6, 7}
	case m != nil:
		list, _ = priorities(m[1])
	}
	if list != nil {
		c.PFCReceive, c.PFCSend = unit.Known(list), unit.Known(list)
		c.Proves("pfc", f.Proof(o.line("OperationalFlowControl")))
	}
	for line := range strings.Lines(o.text("OperationalTrafficClasses")) {
		m := qosClass.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		class, err := strconv.Atoi(m[1])
		list, ok := priorities(m[4])
		if err != nil || !ok || class > 7 {
			continue
		}
		percent := unit.Unknown[int64]("a strict class has no share")
		if w, ok := psNumber(m[3]); ok {
			percent = unit.Known(w)
		}
		setShare(c, class, m[2], percent, list)
		c.Proves("queue "+m[1], f.Proof(strings.TrimSpace(line)))
	}
}

// takeQosPolicy reads Get-NetQosPolicy: which traffic gets which priority.
func takeQosPolicy(f *parse.Builder, o *psObject) {
	m := facts.PolicyMark{Name: o.text("Name"), Priority: unit.Unknown[int]("the policy names none"),
		DSCP:  unit.Unknown[int]("the policy names none"),
		Proof: f.Proof(o.line("PriorityValue", "PriorityValue8021Action", "DSCPValue", "Name"))}
	port := o.number("NetDirectPort", "NetDirectPortMatchCondition").Or(0)
	template := strings.ToLower(o.text("Template", "TemplateMatchCondition"))
	switch {
	case port == 445:
		m.Match = "smb-direct"
	case port != 0:
		m.Match = "network direct port " + strconv.FormatInt(port, 10)
	case template != "" && template != "none":
		m.Match = template
	default:
		m.Match = facts.OneLine(o.text("AppPathName") + " " + o.text("IPDstPrefix"))
	}
	if v, ok := o.number("PriorityValue8021Action", "PriorityValue").Get(); ok && v <= 7 {
		m.Priority = unit.Known(int(v))
	}
	if v, ok := o.number("DSCPAction", "DSCPValue").Get(); ok && v <= 63 {
		m.DSCP = unit.Known(int(v))
	}
	p := policy(windowsOf(f))
	p.Marks = append(p.Marks, m)
}

// takeLldpAgent reads Get-NetLldpAgent: which LLDP agents of Windows send on a port. The NIC's firmware may have
// another one.
func takeLldpAgent(f *parse.Builder, o *psObject) {
	n := adapter(f, o)
	if n == nil || o.text("AdminStatus") == "" {
		return
	}
	adapterOf(n)
	if n.Effect == nil {
		n.Effect = &facts.Classes{}
	}
	if n.Effect.Agents == nil {
		n.Effect.Agents = []string{}
	}
	if o.text("AdminStatus") != "Disabled" && !slices.Contains(n.Effect.Agents, "windows") {
		n.Effect.Agents = append(n.Effect.Agents, "windows")
		n.Effect.Proves("agent windows", f.Proof(o.line("AdminStatus")))
	}
}

// settlePolicy copies the machine's policy to each adapter with classes if the adapter has no value: as the effective
// settings and, without a script, as the configured ones.
func settlePolicy(f *parse.Builder) {
	if f.Windows == nil || f.Windows.Policy == nil {
		return
	}
	p := f.Windows.Policy
	for i := range f.NICs {
		n := &f.NICs[i]
		if n.Windows == nil || n.Effect == nil {
			continue
		}
		if n.Asked == nil {
			n.Asked = p.Asked
		}
		if p.Effect == nil {
			continue
		}
		if n.Asked == nil {
			n.Asked = p.Effect
		}
		fill(n.Effect, p.Effect)
	}
}

// fill copies the values of from that are unknown in c.
func fill(c *facts.Classes, from *facts.Classes) {
	if !c.Willing.IsKnown() && from.Willing.IsKnown() {
		c.Willing = from.Willing
		c.Proves("willing", from.Proofs["willing"])
	}
	if !c.PFCReceive.IsKnown() && from.PFCReceive.IsKnown() {
		c.PFCReceive, c.PFCSend = from.PFCReceive, from.PFCSend
		c.Proves("pfc", from.Proofs["pfc"])
	}
	if c.Queues == nil && from.Queues != nil {
		c.Queues, c.Priorities = maps.Clone(from.Queues), maps.Clone(from.Priorities)
		for class := range from.Queues {
			key := "queue " + strconv.Itoa(class)
			c.Proves(key, from.Proofs[key])
		}
	}
}
