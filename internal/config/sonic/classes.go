package sonic

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/config/dcb"
	"linerate/internal/config/device"
)

// classes brings the fabric's classes into SONiC's tables, over those that its own template makes.
func (r *render) classes() {
	r.apply.Add(cmdref, "SONiC's own queues, maps and buffers (AZURE) as a ground; what was set by hand in these tables is gone", "sudo config qos reload")
	r.codePoints()
	r.scheduling()
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
		if c.ECN {
			for _, e := range []string{"ecn ecn_all", "wred_green_enable true"} {
				r.expect = append(r.expect, dcb.Expect{Command: "show ecn", Form: "lines", Want: e, Why: "profile AZURE_LOSSLESS marks class " + device.Plain(c.Name), By: cmdref})
			}
		}
	}
	why := "shares: " + strings.Join(said, ", ")
	r.fragment = append(r.fragment,
		table{"SCHEDULER", schedulers, why, tables},
		table{"QUEUE", queues, "each queue has its class's scheduler; marked ones SONiC's profile, from 1 to 2 MB of the queue", template})
}
