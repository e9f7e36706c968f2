package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"linerate/internal/design/fabric"
	"linerate/internal/device"
)

// NICs of NVIDIA send congestion notification packets of RoCE v2 with DSCP 48 and priority 6 (CNP_DSCP_P1 and
// CNP_802P_PRIO_P1 of mlxconfig). Switches of NVIDIA sort them by these by default.
const (
	cnpDSCP     = 48
	cnpPriority = 6
)

// QoS returns the traffic classes of the fabric, or nil if it has none.
func (p *Plan) QoS() *device.QoS { return p.qos }

func qosOf(f *fabric.Fabric) *device.QoS {
	if len(f.Classes) == 0 {
		return nil
	}
	q := &device.QoS{Trust: cmp.Or(f.Trust, "dscp"), DCBX: cmp.Or(f.DCBX, "none")}
	taken := map[int]bool{}
	ecn, marked := false, false
	for _, c := range f.Classes {
		x := device.Class{Name: c.Name, Priority: c.Priority, Lossless: c.Lossless, ECN: c.ECN,
			Percent: int(math.Round(100 * c.Share)), Match: c.Match, CNP: c.Match == "cnp", Why: fmt.Sprintf("class %s", c.Name)}
		// Notifications that wait behind the traffic that they slow down come too late.
		x.Strict = x.CNP && x.Percent == 0
		if c.DSCP >= 0 {
			x.DSCP = []int{c.DSCP}
		}
		ecn = ecn || c.ECN
		marked = marked || c.DSCP == cnpDSCP
		taken[c.Priority] = true
		q.Classes = append(q.Classes, x)
	}
	if ecn && !marked && !taken[cnpPriority] {
		taken[cnpPriority] = true
		q.Classes = append(q.Classes, device.Class{Name: "cnp", Priority: cnpPriority, DSCP: []int{cnpDSCP}, Strict: true,
			CNP: true, Why: "congestion notifications: they have to overtake what they are to slow down"})
	}
	share(q, taken)
	slices.SortStableFunc(q.Classes, func(a, b device.Class) int { return a.Priority - b.Priority })
	return q
}

// share divides the remaining share of the link among the classes without one and the rest of the traffic.
func share(q *device.QoS, taken map[int]bool) {
	for p := range 8 {
		if !taken[p] {
			q.Classes = append(q.Classes, device.Class{Name: "rest", Priority: p, Default: true,
				Why: "all traffic that belongs to no class"})
			break
		}
	}
	left, open := 100, 0
	for _, c := range q.Classes {
		left -= c.Percent
		if c.Percent == 0 && !c.Strict {
			open++
		}
	}
	last := -1
	for i := range q.Classes {
		if c := &q.Classes[i]; c.Percent == 0 && !c.Strict {
			c.Percent = left / open
			last = i
		}
	}
	if last >= 0 {
		q.Classes[last].Percent += left - left/open*open
	}
}
