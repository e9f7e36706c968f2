package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/device"
	"linerate/internal/device/config"
)

// pauses configures the fabric's classes on a port. It reports whether PFC pauses one of them, which excludes pause of
// the whole link.
func (r *render) pauses(p *port) bool {
	if r.gaps.Has(device.GapClasses, p.ID) {
		return false
	}
	unit := "dev.mce." + strings.TrimPrefix(p.name, "mce")
	trust, what := 2, "DSCP"
	if r.q.PCP() {
		trust, what = 1, "PCP"
	}
	r.sysctl(unit+".conf.qos.trust_state", fmt.Sprint(trust), what+" sorts packets into classes")
	if trust == 2 {
		for _, block := range r.blocks() {
			r.sysctl(fmt.Sprintf("%s.conf.qos.dscp_%d_%d_prio", unit, 8*block, 8*block+7), r.blockPriorities(block),
				fmt.Sprintf("the priority of each DSCP from %d to %d, as on the switch", 8*block, 8*block+7))
		}
	}
	var tcs []int
	for prio := range 8 {
		tcs = append(tcs, r.q.Class(prio).Priority)
	}
	r.sysctl(unit+".conf.qos.prio_0_7_tc", config.Numbers(tcs, " "),
		"the traffic class of each priority; what belongs to no class shares one")
	for prio := range 8 {
		lossless, reason := slices.Contains(r.q.Lossless(), prio), fmt.Sprintf("PFC: priority %d is not lossless", prio)
		for _, way := range []string{"rx", "tx"} {
			key := fmt.Sprintf("%s.%s_priority_flow_control_%d", unit, way, prio)
			if lossless {
				r.sysctl(key, "1", fmt.Sprintf("PFC: priority %d is lossless", prio))
			} else {
				r.verify.Add(mlx5, reason+", as the driver has it by itself", fmt.Sprintf(`is %s 0 "$(sysctl -n %s)"`, key, key))
			}
		}
	}
	if len(r.q.Lossless()) == 0 {
		return false
	}
	why := "PFC pauses one class; pause of the whole link excludes it"
	r.changes.Add(mlx5, why, run(fmt.Sprintf("ifconfig %s %s", p.name, noPause)))
	r.undo.Note("the media options of " + p.name + " stay: the old ones are those of its old line in rc.conf, from the " +
		"next reboot on")
	r.verify.Add(ifconfig, why, fmt.Sprintf(
		`! ifconfig %s | grep -E 'media:.*(rxpause|txpause)' || { echo "not as planned: pause of the whole link is on at %s"; bad=1; }`,
		p.name, p.name))
	return true
}

// sysctl sets a value now and at boot.
func (r *render) sysctl(key, value, why string) {
	quoted, _ := config.Shell(value)
	r.keep(key, "sysctl -n "+key)
	// The values of an array may be separated by commas or spaces, and are printed with spaces.
	written := strings.ReplaceAll(value, " ", ",")
	r.changes.Add(mlx5, why, run(fmt.Sprintf("sysctl %s=%s >/dev/null", key, written)))
	r.verify.Add(mlx5, why, fmt.Sprintf(`is %s %s "$(sysctl -n %s)"`, key, quoted, key))
	r.undo.Add(mlx5, "the old value: "+why,
		run(fmt.Sprintf(`[ ! -s "$state/%s" ] || sysctl %s="$(cat "$state/%s")" >/dev/null`, key, key, key)))
	r.sysctlConf.Add(sysctl, why, key+"="+written)
}

// blocks returns the blocks of eight DSCPs whose map differs from the plan, as far as is known: those with a DSCP of a
// class, and those whose default priority belongs to one.
func (r *render) blocks() []int {
	var out []int
	for _, c := range r.q.Classes {
		if !c.Default {
			out = append(out, c.Priority)
		}
		for _, d := range c.DSCP {
			out = append(out, d/8)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// blockPriorities returns the priorities of the eight DSCPs of a block. Those without a class get the priority of the
// rest.
func (r *render) blockPriorities(block int) string {
	rest := 0
	for _, c := range r.q.Classes {
		if c.Default {
			rest = c.Priority
		}
	}
	var out []int
	for d := 8 * block; d < 8*block+8; d++ {
		prio := rest
		for _, c := range r.q.Classes {
			if slices.Contains(c.DSCP, d) {
				prio = c.Priority
			}
		}
		out = append(out, prio)
	}
	return config.Numbers(out, " ")
}
