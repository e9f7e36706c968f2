package sonic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/config/dcb"
	"linerate/config/device"
)

// azureLossless are the priorities that SONiC's own template makes lossless, and the only ones its buffers know.
var azureLossless = []int{3, 4}

// classes brings the fabric's classes into SONiC's tables, over those that its own template makes.
func (r *render) classes() {
	for _, p := range r.q.Lossless() {
		if !slices.Contains(azureLossless, p) {
			r.d.Miss(fmt.Sprintf("the fabric's classes: class %s is lossless with priority %d, and SONiC's template has buffers and maps for priorities 3 and 4 alone; give it one of these", device.Plain(r.q.Class(p).Name), p))
			return
		}
	}
	if r.q.Trust != "dscp" {
		r.d.Miss("the fabric's classes: packets are to be sorted by " + r.q.Trust + ", and SONiC's template has that for storage back ends alone; use trust: dscp")
		return
	}
	r.apply.Add(cmdref, "SONiC's own queues, maps and buffers (AZURE) as a ground; what was set by hand in these tables is gone", "sudo config qos reload")
	r.codePoints()
	r.scheduling()
	if r.q.DCBX == "switch" {
		r.d.Miss("dcbx: switch: community SONiC announces no classes by DCBX; hosts and switch have the same values without it")
	}
}

// codePoints sorts every code point. The template makes 26 ordinary traffic, and 3 and 4 lossless: all 64 are written.
func (r *render) codePoints() {
	shares := dcb.Shares(r.q)
	rest := 0
	for _, s := range shares {
		if s.Class.Default {
			rest = s.Class.Priority
		}
	}
	row := map[string]string{}
	for d := range 64 {
		row[strconv.Itoa(d)] = strconv.Itoa(rest)
	}
	var said []string
	for _, s := range shares {
		for _, d := range s.Class.DSCP {
			row[strconv.Itoa(d)] = strconv.Itoa(s.Class.Priority)
			said = append(said, fmt.Sprintf("%d to %d (%s)", d, s.Class.Priority, device.Plain(s.Class.Name)))
			r.expect = append(r.expect, dcb.Expect{Command: "sonic-cfggen -d --var-json DSCP_TO_TC_MAP", Form: "json", Where: []string{"AZURE", strconv.Itoa(d)},
				Want: strconv.Itoa(s.Class.Priority), Why: "DSCP of class " + device.Plain(s.Class.Name), By: cfggen})
		}
	}
	why := "DSCP " + strings.Join(said, ", ") + fmt.Sprintf(", all others to %d; SONiC's own map has 26 with ordinary traffic and 3 and 4 lossless", rest)
	r.fragment = append(r.fragment, table{"DSCP_TO_TC_MAP", map[string]map[string]string{"AZURE": row}, why, template})
}

// scheduling gives each class its share, by a scheduler of its own on the queue of its number.
func (r *render) scheduling() {
	schedulers, queues := map[string]map[string]string{}, map[string]map[string]string{}
	var said []string
	for _, s := range dcb.Shares(r.q) {
		c := s.Class
		name := fmt.Sprintf("linerate.%d", c.Priority)
		schedulers[name] = map[string]string{"type": "DWRR", "weight": strconv.Itoa(c.Percent)}
		text := fmt.Sprintf("%s %d %%", device.Plain(c.Name), c.Percent)
		if c.Strict {
			schedulers[name] = map[string]string{"type": "STRICT"}
			text = device.Plain(c.Name) + " first"
		}
		said = append(said, text)
		for _, x := range r.ports {
			row := map[string]string{"scheduler": name}
			if c.ECN {
				row["wred_profile"] = "AZURE_LOSSLESS"
			}
			queues[fmt.Sprintf("%s|%d", r.name(x), c.Priority)] = row
		}
		switch {
		case c.ECN:
			for _, e := range []string{"ecn ecn_all", "wred_green_enable true"} {
				r.expect = append(r.expect, dcb.Expect{Command: "show ecn", Form: "lines", Want: e, Why: "profile AZURE_LOSSLESS marks class " + device.Plain(c.Name), By: cmdref})
			}
		case slices.Contains(azureLossless, c.Priority):
			r.d.Miss(fmt.Sprintf("class %s is not to be marked; SONiC's template marks the queues 3 and 4, and a fragment cannot take that out", device.Plain(c.Name)))
		}
	}
	why := "shares: " + strings.Join(said, ", ")
	r.fragment = append(r.fragment,
		table{"SCHEDULER", schedulers, why, tables},
		table{"QUEUE", queues, "each queue has its class's scheduler; marked ones SONiC's profile, from 1 to 2 MB of the queue", template})
}
