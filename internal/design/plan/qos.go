package plan

import (
	"fmt"
	"math"
	"slices"

	"linerate/internal/design/fabric"
)

// QoS is what the fabric's traffic classes ask of every device that carries them: the same on hosts and switches.
// Both ends of a link have to agree in all of it (IEEE 802.1Qbb, 802.1Qaz).
type QoS struct {
	Trust   string // what sorts packets into classes: dscp, pcp or port
	DCBX    string // switch: the switch announces the classes; none. Hosts are never willing
	Classes []QoSClass
}

// QoSClass is one traffic class. Switch priority, 802.1p priority and traffic class have one number.
type QoSClass struct {
	Name     string
	Priority int   // 0 to 7: PCP, switch priority and traffic class
	DSCP     []int // code points that are sorted into it; empty: none of its own
	Lossless bool  // PFC pauses it
	ECN      bool  // marked instead of dropped
	Strict   bool  // goes before all that is not strict, and has no share
	Percent  int   // of the link (ETS); those of all classes that are not strict add up to 100
	Match    string
	Default  bool // takes all priorities that no other class has
	CNP      bool // congestion notifications of RoCEv2
	Why      string
}

// Congestion notification packets of RoCEv2 leave the cards of NVIDIA with DSCP 48 and priority 6 (CNP_DSCP_P1 and
// CNP_802P_PRIO_P1 of mlxconfig), and the switches of that maker sort them there by default.
const (
	cnpDSCP     = 48
	cnpPriority = 6
)

// QoS returns what the fabric's classes ask for, or nil if it has none.
func (p *Plan) QoS() *QoS { return p.qos }

// Class returns the class that a priority belongs to.
func (q *QoS) Class(priority int) QoSClass {
	rest := QoSClass{}
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

// Lossless are the priorities that are paused, ascending.
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

// PCP says whether priorities of VLAN tags sort packets.
func (q *QoS) PCP() bool { return q.Trust == "pcp" }

func qosOf(f *fabric.Fabric) *QoS {
	if len(f.Classes) == 0 {
		return nil
	}
	q := &QoS{Trust: f.Trust, DCBX: f.DCBX}
	if q.Trust == "" {
		q.Trust = "dscp"
	}
	if q.DCBX == "" {
		q.DCBX = "none"
	}
	taken := map[int]bool{}
	ecn, marked := false, false
	for _, c := range f.Classes {
		x := QoSClass{Name: c.Name, Priority: c.Priority, Lossless: c.Lossless, ECN: c.ECN, Percent: int(math.Round(100 * c.Share)), Match: c.Match,
			CNP: c.Match == "cnp", Why: fmt.Sprintf("class %s", c.Name)}
		// Notifications that wait behind what they are to slow down come too late.
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
		q.Classes = append(q.Classes, QoSClass{Name: "cnp", Priority: cnpPriority, DSCP: []int{cnpDSCP}, Strict: true, CNP: true,
			Why: "congestion notifications: they have to overtake what they are to slow down"})
	}
	q.share(taken)
	slices.SortStableFunc(q.Classes, func(a, b QoSClass) int { return a.Priority - b.Priority })
	return q
}

// share divides what the file leaves of the link among the classes without a share and the rest of the traffic.
func (q *QoS) share(taken map[int]bool) {
	free := -1
	for p := range 8 {
		if !taken[p] {
			free = p
			break
		}
	}
	if free >= 0 {
		q.Classes = append(q.Classes, QoSClass{Name: "rest", Priority: free, Default: true, Why: "all traffic that belongs to no class"})
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
