package device

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
)

// QoS is the traffic classes of the fabric, the same for all hosts and switches that carry them. Both ends of a link
// have to agree in all of it (IEEE 802.1Qbb, 802.1Qaz).
type QoS struct {
	Trust   string // how packets are sorted into classes: dscp, pcp or port
	DCBX    string // switch: the switch announces the classes; none. Hosts are never willing
	Classes []Class
}

// Class is one traffic class. Switch priority, 802.1p priority and traffic class have the same number.
type Class struct {
	Name     string
	Priority int   // 0 to 7: PCP, switch priority and traffic class
	DSCP     []int // code points that are sorted into it; empty: none
	Lossless bool  // PFC pauses it
	ECN      bool  // marked instead of dropped
	Strict   bool  // served before all classes that are not strict, without a share
	Percent  int   // of the link (ETS); those of all classes that are not strict add up to 100
	Match    string
	Default  bool // has all priorities of no other class
	CNP      bool // congestion notifications of RoCEv2
	Why      string
}

// Class returns the class that a priority belongs to.
func (q *QoS) Class(priority int) Class {
	rest := Class{}
	for _, c := range q.Classes {
		if c.Priority == priority && !c.Default {
			return c
		}
		if c.Default {
			rest = c
		}
	}
	return rest
}

// Lossless returns the paused priorities, ascending.
func (q *QoS) Lossless() []int {
	var out []int
	for _, c := range q.Classes {
		if c.Lossless {
			out = append(out, c.Priority)
		}
	}
	slices.Sort(out)
	return out
}

// PCP reports whether priorities of VLAN tags sort packets.
func (q *QoS) PCP() bool { return q.Trust == "pcp" }

// RoCEMark returns the DSCP of RoCE: that of the lossless class, else of one with marking; -1: none.
func (q *QoS) RoCEMark() int {
	out := -1
	for _, c := range q.Classes {
		if len(c.DSCP) > 0 && !c.CNP && (c.Lossless || c.ECN && out < 0) {
			out = c.DSCP[0]
		}
	}
	return out
}

// Shares prints the classes with their shares of the link.
func (q *QoS) Shares() string {
	var out []string
	for _, c := range q.Classes {
		if !c.Strict {
			out = append(out, fmt.Sprintf("%s %d %%", c.Name, c.Percent))
		}
	}
	return strings.Join(out, ", ")
}

// OffBlock returns the code points of a class that a map by blocks of eight (0-7 to 0, 8-15 to 1 ... 56-63 to 7) sorts
// differently.
func (c Class) OffBlock() []int {
	return xslices.Filter(c.DSCP, func(d int) bool { return d/8 != c.Priority })
}
