package facts

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// classesOf is where a setting of DCB belongs: to an adapter that has its own (IfAlias), else to the machine.
func (f *Facts) classesOf(o *psObject) *Classes {
	if alias := o.text("IfAlias", "InterfaceAlias"); alias != "" {
		n := f.nic(alias)
		n.windows()
		if n.Effect == nil {
			n.Effect = &Classes{}
		}
		return n.Effect
	}
	p := f.windows().policy()
	if p.Effect == nil {
		p.Effect = &Classes{}
	}
	return p.Effect
}

// takeFlowControl reads Get-NetQosFlowControl: PFC by priority.
func takeFlowControl(f *Facts, o *psObject) {
	n, ok := o.number("Priority").Get()
	on, ok2 := o.flag("Enabled").Get()
	if !ok || !ok2 || n > 7 {
		return
	}
	c := f.classesOf(o)
	have := slices.Clone(c.PFCReceive.Or([]int{}))
	if on && !slices.Contains(have, int(n)) {
		have = append(have, int(n))
		slices.Sort(have)
		c.proves("pfc", f.proof(o.line("Enabled")))
	}
	c.proves("pfc "+strconv.Itoa(int(n)), f.proof(o.line("Enabled")))
	c.PFCReceive, c.PFCSend = known(have), known(have)
}

// takeTrafficClass reads Get-NetQosTrafficClass. Windows numbers classes in this order, its own first.
func takeTrafficClass(f *Facts, o *psObject) {
	list, ok := priorities(o.text("Priority"))
	share := o.number("Bandwidth(%)", "BandwidthPercentage", "Bandwidth")
	if !ok {
		return
	}
	c := f.classesOf(o)
	class := len(c.Queues)
	if class > 7 {
		return
	}
	c.share(class, o.text("Algorithm"), share, list)
	c.proves("queue "+strconv.Itoa(class), f.proof(o.line("Priority")))
}

// share gives a class its algorithm, its share in percent, and the priorities that go into it.
func (c *Classes) share(class int, algorithm string, percent unit.Opt[int64], list []int) {
	c.queue(class, func(q *Queue) {
		q.Strict = known(strings.EqualFold(algorithm, "Strict"))
		if w, ok := percent.Get(); ok && w <= 100 && !q.Strict.Or(false) {
			q.Weight = known(float64(w))
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
func takeDcbx(f *Facts, o *psObject) {
	c := f.classesOf(o)
	c.Willing = o.flag("Willing")
	if c.Willing.IsKnown() {
		c.proves("willing", f.proof(o.line("Willing")))
	}
}

var (
	qosClass     = lazyregexp.New(`^(\d+)\s+(ETS|Strict)\s+(?:(\d+)\s*%?\s+)?(\d[\d,-]*)$`)
	qosPause     = lazyregexp.New(`^Priorit\w+\s+(\d[\d,\s-]*?)\s+Enabled$`)
	qosMaxima    = lazyregexp.New(`NumTCs\(Max/ETS/PFC\)\s*:\s*(\d+)/(\d+)/(\d+)\s+(\d+)/(\d+)/(\d+)`)
	qosExchanged = lazyregexp.New(`DcbxSupport\s*:\s*(\S+)\s+(\S+)`)
)

// takeAdapterQos reads Get-NetAdapterQos, whose own form is text: what is in effect on an adapter.
func takeAdapterQos(f *Facts, o *psObject) {
	n := f.adapter(o)
	if n == nil {
		return
	}
	n.windows()
	if n.Effect == nil {
		n.Effect = &Classes{}
	}
	c := n.Effect
	all := ""
	for _, p := range o.props {
		all += p.name + " : " + p.value + "\n"
	}
	if m := qosMaxima.FindStringSubmatch(all); m != nil {
		if v, err := strconv.Atoi(m[3]); err == nil && v <= 8 {
			c.Capacity = known(v)
		}
	}
	if m := qosExchanged.FindStringSubmatch(all); m != nil {
		c.DCBX = known(!strings.EqualFold(m[2], "None"))
	}
	if on, ok := o.flag("Enabled").Get(); ok && !on {
		c.PFCReceive, c.PFCSend = known([]int{}), known([]int{})
		c.proves("pfc", f.proof(o.line("Enabled")))
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
		c.PFCReceive, c.PFCSend = known(list), known(list)
		c.proves("pfc", f.proof(o.line("OperationalFlowControl")))
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
			percent = known(w)
		}
		c.share(class, m[2], percent, list)
		c.proves("queue "+m[1], f.proof(strings.TrimSpace(line)))
	}
}

// takeQosPolicy reads Get-NetQosPolicy: which traffic gets which priority.
func takeQosPolicy(f *Facts, o *psObject) {
	m := PolicyMark{Name: o.text("Name"), Priority: unit.Unknown[int]("the policy names none"), DSCP: unit.Unknown[int]("the policy names none"), Proof: f.proof(o.line("PriorityValue", "PriorityValue8021Action", "DSCPValue", "Name"))}
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
		m.Match = oneLine(o.text("AppPathName") + " " + o.text("IPDstPrefix"))
	}
	if v, ok := o.number("PriorityValue8021Action", "PriorityValue").Get(); ok && v <= 7 {
		m.Priority = known(int(v))
	}
	if v, ok := o.number("DSCPAction", "DSCPValue").Get(); ok && v <= 63 {
		m.DSCP = known(int(v))
	}
	p := f.windows().policy()
	p.Marks = append(p.Marks, m)
}

// takeLldpAgent reads Get-NetLldpAgent: which agents of Windows speak on a port. The card's firmware may have one of its own.
func takeLldpAgent(f *Facts, o *psObject) {
	n := f.adapter(o)
	if n == nil || o.text("AdminStatus") == "" {
		return
	}
	n.windows()
	if n.Effect == nil {
		n.Effect = &Classes{}
	}
	if n.Effect.Agents == nil {
		n.Effect.Agents = []string{}
	}
	if o.text("AdminStatus") != "Disabled" && !slices.Contains(n.Effect.Agents, "windows") {
		n.Effect.Agents = append(n.Effect.Agents, "windows")
		n.Effect.proves("agent windows", f.proof(o.line("AdminStatus")))
	}
}

// settlePolicy gives each adapter that does classes what the machine's policy says where the adapter itself says nothing: in
// effect, and, where no script was kept, asked for.
func settlePolicy(f *Facts) {
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
		n.Effect.fill(p.Effect)
	}
}

// fill takes from another what is not known here.
func (c *Classes) fill(from *Classes) {
	if !c.Willing.IsKnown() && from.Willing.IsKnown() {
		c.Willing = from.Willing
		c.proves("willing", from.Proofs["willing"])
	}
	if !c.PFCReceive.IsKnown() && from.PFCReceive.IsKnown() {
		c.PFCReceive, c.PFCSend = from.PFCReceive, from.PFCSend
		c.proves("pfc", from.Proofs["pfc"])
	}
	if c.Queues == nil && from.Queues != nil {
		c.Queues, c.Priorities = maps.Clone(from.Queues), maps.Clone(from.Priorities)
		for class := range from.Queues {
			key := "queue " + strconv.Itoa(class)
			c.proves(key, from.Proofs[key])
		}
	}
}
