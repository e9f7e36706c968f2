package render

import (
	"fmt"
	"strings"

	"linerate/internal/device"
	"linerate/internal/device/config"
)

// profiles makes one QoS profile per class, and the maps from marks to profiles if they are not automatic.
func (r *render) profiles() {
	for _, c := range r.q.Classes {
		tc, name := r.tc[c.Name], r.profile(c)
		if c.Default {
			if tc != 1 {
				r.apply.Add(manualQoS, fmt.Sprintf("%s; a class of the file has traffic class 1", c.Why),
					fmt.Sprintf("%s profile set [find where name=%s] traffic-class=%d", menuQoS, name, tc))
			}
			r.expect(manualQoS, c.Why, menuQoS+" profile", fmt.Sprintf("name=%s traffic-class=%d", name, tc),
				"what belongs to no class has another traffic class")
			continue
		}
		values := fmt.Sprintf("pcp=%d traffic-class=%d", c.Priority, tc)
		if len(c.DSCP) > 0 {
			values = fmt.Sprintf("dscp=%d %s", c.DSCP[0], values)
		}
		why := c.Why + ": " + markText(c) + " goes to queue " + fmt.Sprint(tc)
		r.apply.Add(manualQoS, why, unless(menuQoS+" profile", "name="+name, "name="+name+" "+values, values))
		r.expect(manualQoS, why, menuQoS+" profile", "name="+name+" "+values, "class "+c.Name+" has no profile with "+values)
	}
	for _, c := range r.q.Classes {
		if !c.Default {
			r.maps(c)
		}
	}
}

// markText describes the marks that sort a packet into a class.
func markText(c device.Class) string {
	if len(c.DSCP) == 0 {
		return fmt.Sprintf("PCP %d", c.Priority)
	}
	return "DSCP " + config.Numbers(c.DSCP, ", ")
}

// maps sorts a class's packets: before 7.23 by every mark, later only by those that the profile does not have.
func (r *render) maps(c device.Class) {
	kind, key, marks := r.lookup(c)
	if r.v.new && len(marks) > 0 {
		marks = marks[1:]
	}
	name := r.profile(c)
	why := fmt.Sprintf("without this row %s %s falls to the profile default: before 7.23 maps are not made by "+
		"themselves", strings.ToUpper(key), config.Numbers(marks, ", "))
	if r.v.new {
		why = "the profile maps its first mark by itself (7.23), the others need a row"
	}
	menu := menuQoS + " map " + kind
	for _, m := range marks {
		match := fmt.Sprintf("%s=%d profile=%s", key, m, name)
		r.apply.Add(manualQoS, why, unless(menu, match, match, ""))
		r.expect(manualQoS, why, menu, match, fmt.Sprintf("%s %d is not mapped to class %s", strings.ToUpper(key), m, c.Name))
	}
}

// lookup returns how a class's packets are sorted: the menu of the map, its key and the class's values.
func (r *render) lookup(c device.Class) (kind, key string, marks []int) {
	if r.q.PCP() {
		return "vlan", "pcp", []int{c.Priority}
	}
	return "ip", "dscp", c.DSCP
}

// unless returns a command that adds an entry if none matches, else sets its values, so that apply can run twice.
func unless(menu, match, add, set string) string {
	text := fmt.Sprintf(":if ([:len [%s find where %s]] = 0) do={ %s add %s }", menu, match, menu, add)
	if set != "" {
		text += fmt.Sprintf(" else={ %s set [find where %s] %s }", menu, match, set)
	}
	return text
}

// queues divides the link. All classes with a share are in one group: a queue of the low group waits until every queue
// of the high one is empty, and lldp-dcbx can announce only one group.
func (r *render) queues() {
	weights := r.weights()
	menu := menuQoS + " tx-manager queue"
	for _, c := range r.q.Classes {
		tc := r.tc[c.Name]
		find := fmt.Sprintf("[find where traffic-class=%d]", tc)
		set, why := "schedule=strict-priority", c.Why+": before all others"
		if !c.Strict {
			set = fmt.Sprintf("schedule=high-priority-group weight=%d", weights[c.Name])
			why = fmt.Sprintf("%s: %d %% of the link; weights are packets a round, so the share in bytes holds for packets "+
				"of one size", c.Why, c.Percent)
		}
		where := fmt.Sprintf("traffic-class=%d %s", tc, set)
		r.apply.Add(manualQoS, why, fmt.Sprintf("%s set %s %s", menu, find, set))
		r.expect(manualQoS, why, menu, where, fmt.Sprintf("queue %d of class %s is not %s", tc, c.Name, set))
		if has, known := r.ecn(); !known || has {
			r.marking(c, menu, find)
		}
	}
	r.apply.Note("queues without a class stay as they are: they are inactive as long as no profile leads to them")
	r.apply.Note("the roce-100g document set ECN on the tx-manager: that marks every active queue, also ordinary " +
		"traffic, and is not done here")
}

// marking sets the behaviour of a queue that fills: ECN only for classes that require it, WRED for none.
func (r *render) marking(c device.Class, menu, find string) {
	set := "use-shared-buffers=yes wred=no ecn=" + yes(c.ECN)
	why := "ordinary traffic is neither marked nor dropped early"
	switch {
	case c.ECN && c.Lossless:
		why = "class " + c.Name + " is marked (ECN) and never dropped early (WRED); PFC and ECN need shared buffers"
	case c.ECN:
		why = "class " + c.Name + " is marked (ECN), which needs shared buffers"
	case c.Lossless:
		why = "class " + c.Name + " is never dropped early (WRED); PFC needs shared buffers"
	}
	if r.pooled(c) {
		set += " shared-pool-index=1"
		why += "; a pool of its own, apart from traffic that is not paused"
	}
	r.apply.Add(manualQoS, why, fmt.Sprintf("%s set %s %s", menu, find, set))
	tc := r.tc[c.Name]
	r.expect(manualQoS, why, menu, fmt.Sprintf("traffic-class=%d %s", tc, set),
		fmt.Sprintf("queue %d of class %s is not %s", tc, c.Name, set))
}

// pooled reports whether a class's queue uses the second buffer pool. From 7.23 on RouterOS chooses the pool.
func (r *render) pooled(c device.Class) bool { return c.Lossless && !r.v.new }

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// weights returns the shares as packets per round, as small as possible.
func (r *render) weights() map[string]int {
	common := 0
	for _, c := range r.q.Classes {
		if !c.Strict {
			common = gcd(common, c.Percent)
		}
	}
	out := map[string]int{}
	for _, c := range r.q.Classes {
		if !c.Strict && common > 0 {
			out[c.Name] = max(c.Percent/common, 1)
		}
	}
	return out
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
