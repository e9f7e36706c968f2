package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
)

// classes are the plan's traffic classes as tables of eight numbers, in Linux' form.
type classes struct {
	q          *device.QoS
	prioTC     [8]int  // traffic class of each priority
	ets        [8]bool // else strict
	percent    [8]int
	pfc        [8]bool
	dscp       []string // "26:3", ascending
	dscpTrust  bool
	marked     int // the DSCP of RoCE; -1: none
	congestion []int
}

func classesOf(q *device.QoS) *classes {
	t := &classes{q: q, dscpTrust: q.Trust == "dscp", marked: q.RoCEMark()}
	type point struct{ dscp, priority int }
	var points []point
	for p := range 8 {
		t.prioTC[p] = q.Class(p).Priority
	}
	for _, c := range q.Classes {
		t.ets[c.Priority], t.percent[c.Priority], t.pfc[c.Priority] = c.Percent > 0, c.Percent, c.Lossless
		for _, d := range c.DSCP {
			points = append(points, point{d, c.Priority})
		}
		if c.ECN {
			t.congestion = append(t.congestion, c.Priority)
		}
	}
	slices.SortFunc(points, func(a, b point) int { return a.dscp - b.dscp })
	t.dscp = xslices.Map(points, func(x point) string { return fmt.Sprintf("%d:%d", x.dscp, x.priority) })
	return t
}

// table returns "0:x 1:y ..", the form of dcb.
func table[T any](list [8]T, word func(T) string) string {
	var out []string
	for i, x := range list {
		out = append(out, fmt.Sprintf("%d:%s", i, word(x)))
	}
	return strings.Join(out, " ")
}

// commas returns "x,y,..", the form of mlnx_qos.
func commas[T any](list [8]T, word func(T) string) string {
	var out []string
	for _, x := range list {
		out = append(out, word(x))
	}
	return strings.Join(out, ",")
}

func number(n int) string { return fmt.Sprint(n) }

func choose(yes, no string) func(bool) string {
	return func(b bool) string { return map[bool]string{true: yes, false: no}[b] }
}

// tools is how to set the traffic classes of a NIC.
type tools int

const (
	byDCB     tools = iota // iproute2's dcb: the driver implements the kernel's DCB interface
	byMlx5                 // the same; the trust of a mlx5 follows from its map
	byMlnxQoS              // mlnx_qos, for mlx4
)

func (n *portName) driver() string {
	if n == nil || n.port.Part == nil {
		return ""
	}
	return n.port.Part.Drivers["linux"].Driver
}

func (n *portName) tools() tools {
	switch d := n.driver(); {
	case strings.Contains(d, "mlx4"):
		return byMlnxQoS
	case strings.Contains(d, "mlx5"):
		return byMlx5
	}
	return byDCB
}

func applyQoS(c *context, f *config.File, s plan.Setting) {
	t, n, i, name := classesOf(s.QoS), c.byName[s.Interface], c.ref(s.Interface), c.text(s.Interface)
	c.qosNotes(t, n)
	f.Form(fmt.Sprintf(`if ! dcb_works %s; then`, i),
		fmt.Sprintf(`	rest=3; say "not set: traffic classes of %s: its driver has no DCB, or dcb of iproute2 is not there"`,
			name))
	if n != nil && n.tools() == byMlnxQoS {
		f.Lines = f.Lines[:len(f.Lines)-2]
		f.Form(`if ! has mlnx_qos; then`,
			fmt.Sprintf(`	rest=3; say "not set: traffic classes of %s: mlnx_qos (mlnx-tools) is not there"`, name))
	}
	f.Form("else")
	f.Form(fmt.Sprintf("\tkeep_pause %s", i))
	f.Add("ethtool(8)", s.Why+": global pause and PFC exclude each other",
		fmt.Sprintf(`	[ "$(pause_of %s)" = "off off" ] || may "no global pause on %s" ethtool -A %s rx off tx off`, i, name,
			i))
	if n != nil && n.tools() == byMlnxQoS {
		c.applyMlnxQoS(f, s, t)
	} else {
		c.applyDCB(f, s, t, n)
	}
	f.Form("fi")
	c.applyRoCE(f, s, t, n)
}

// applyDCB sets the classes with iproute2's dcb.
func (c *context) applyDCB(f *config.File, s plan.Setting, t *classes, n *portName) {
	i, name := c.ref(s.Interface), c.text(s.Interface)
	f.Form(fmt.Sprintf("\tkeep_dcb %s", i))
	f.Add("dcb(8)", s.Why+": the host decides, not its firmware",
		fmt.Sprintf(`	may "DCBX of %s" dcb dcbx set dev %s host ieee`, name, i))
	if n == nil || n.tools() == byDCB {
		order := map[string]string{"dscp": "dscp pcp", "pcp": "pcp"}[t.q.Trust]
		if order != "" {
			f.Add("dcb(8)", "trust: "+t.q.Trust, fmt.Sprintf(`	may "trust %s on %s" dcb apptrust set dev %s order %s`,
				t.q.Trust, name, i, order))
		}
	}
	points := ""
	if t.dscpTrust {
		points = strings.Join(t.dscp, " ")
	}
	f.Add("dcb(8)", s.Why+": what is not in the plan is in no class of its own",
		fmt.Sprintf(`	[ "$(dcb_of app %s dscp-prio)" = "%s" ] || may "DSCP map of %s" dcb app flush dev %s dscp-prio`, i,
			points, name, i))
	if points != "" {
		f.Add("dcb(8)", s.Why+": which code point has which priority",
			fmt.Sprintf(`	may "DSCP map of %s" dcb app replace dev %s dscp-prio %s`, name, i, points))
	}
	f.Add("dcb(8)", s.Why+": what is paused",
		fmt.Sprintf(`	may "PFC of %s" dcb pfc set dev %s prio-pfc %s`, name, i, table(t.pfc, choose("on", "off"))))
	f.Add("dcb(8)", s.Why+": shares of the link, and no configuration taken from the switch",
		fmt.Sprintf(`	may "ETS of %s" dcb ets set dev %s willing off prio-tc %s tc-tsa %s tc-bw %s`,
			name, i, table(t.prioTC, number), table(t.ets, choose("ets", "strict")), table(t.percent, number)))
}

func verifyQoS(c *context, f *config.File, s plan.Setting) {
	t, n, i, name := classesOf(s.QoS), c.byName[s.Interface], c.ref(s.Interface), c.text(s.Interface)
	f.Add("ethtool(8)", s.Why, fmt.Sprintf(`is "global pause (receive, send) of %s" "off off" "$(pause_of %s)"`, name, i))
	f.Add("mlnx_qos", s.Why+": it would overwrite the classes",
		fmt.Sprintf(`is "lldpad next to the classes of %s" absent "$(running lldpad)"`, name))
	if n != nil && n.tools() == byMlnxQoS {
		f.Add("mlnx_qos", s.Why, fmt.Sprintf(`is "PFC of %s" "%s" "$(mlnx_pfc_of %s)"`, name,
			strings.ReplaceAll(commas(t.pfc, choose("1", "0")), ",", " "), i))
		f.Add("mlnx_qos", s.Why, fmt.Sprintf(
			`is "class of each priority, ETS or strict, shares of %s" "%s %s %s" "$(mlnx_ets_of %s)"`, name,
			commas(t.prioTC, number), commas(t.ets, choose("ets", "strict")), commas(t.percent, number), i))
		c.verifyRoCE(f, s, t, n)
		return
	}
	is := func(what, object, key, planned string) {
		f.Add("dcb(8)", s.Why, fmt.Sprintf(`is "%s of %s" "%s" "$(dcb_of %s %s %s)"`, what, name, planned, object, i, key))
	}
	f.Add("dcb(8)", s.Why, fmt.Sprintf(`is "DCBX of %s" "host ieee" "$(dcbx_of %s)"`, name, i))
	is("PFC", "pfc", "prio-pfc", table(t.pfc, choose("on", "off")))
	is("ETS willing", "ets", "willing", "off")
	is("class of each priority", "ets", "prio-tc", table(t.prioTC, number))
	is("ETS or strict", "ets", "tc-tsa", table(t.ets, choose("ets", "strict")))
	is("shares", "ets", "tc-bw", table(t.percent, number))
	if t.dscpTrust {
		is("DSCP map", "app", "dscp-prio", strings.Join(t.dscp, " "))
	}
	f.Add("mlnx_qos", "trust: "+t.q.Trust, fmt.Sprintf(`is "trust of %s" %s "$(trust_of %s)"`, name, c.q(t.q.Trust), i))
	c.verifyRoCE(f, s, t, n)
}
