package render

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
)

// classes writes the fabric's classes into SONiC's tables, over those of its own template.
func (r *render) classes() {
	r.Apply.Add(cmdref, "SONiC's own queues, maps and buffers (AZURE) as a ground; what was set by hand in these "+
		"tables is gone", "sudo config qos reload")
	r.codePoints()
	r.scheduling()
}

// codePoints maps all 64 code points, because the template makes 26 ordinary traffic, and 3 and 4 lossless.
func (r *render) codePoints() {
	shares := dcb.Shares(r.QoS)
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
			said = append(said, fmt.Sprintf("%d to %d (%s)", d, s.Class.Priority, config.Plain(s.Class.Name)))
			r.ExpectAt(cfggen, "json", "sonic-cfggen -d --var-json DSCP_TO_TC_MAP", "DSCP of class "+config.Plain(s.Class.Name),
				strconv.Itoa(s.Class.Priority), "AZURE", strconv.Itoa(d))
		}
	}
	why := "DSCP " + strings.Join(said, ", ") + fmt.Sprintf(", all others to %d; SONiC's own map has 26 with ordinary "+
		"traffic and 3 and 4 lossless", rest)
	r.fragment = append(r.fragment, table{"DSCP_TO_TC_MAP", map[string]map[string]string{"AZURE": row}, why, template})
}

// scheduling gives each class its share, with a scheduler for the queue of its number.
func (r *render) scheduling() {
	schedulers, queues := map[string]map[string]string{}, map[string]map[string]string{}
	var said []string
	for _, s := range dcb.Shares(r.QoS) {
		c := s.Class
		name := fmt.Sprintf("linerate.%d", c.Priority)
		schedulers[name] = map[string]string{"type": "DWRR", "weight": strconv.Itoa(c.Percent)}
		text := fmt.Sprintf("%s %d %%", config.Plain(c.Name), c.Percent)
		if c.Strict {
			schedulers[name] = map[string]string{"type": "STRICT"}
			text = config.Plain(c.Name) + " first"
		}
		said = append(said, text)
		for _, x := range r.Ports {
			row := map[string]string{"scheduler": name}
			if c.ECN {
				row["wred_profile"] = "AZURE_LOSSLESS"
			}
			queues[fmt.Sprintf("%s|%d", r.name(x), c.Priority)] = row
		}
		if c.ECN {
			for _, e := range []string{"ecn ecn_all", "wred_green_enable true"} {
				r.ExpectLine(cmdref, "show ecn", "profile AZURE_LOSSLESS marks class "+config.Plain(c.Name), e)
			}
		}
	}
	why := "shares: " + strings.Join(said, ", ")
	r.fragment = append(r.fragment, table{"SCHEDULER", schedulers, why, tables},
		table{"QUEUE", queues, "each queue has its class's scheduler; marked ones SONiC's profile, from 1 to 2 MB of the " +
			"queue", template})
}
