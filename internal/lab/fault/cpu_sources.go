package fault

import (
	"fmt"
	"strings"
)

// coresOf describes the cores of a simulated machine: their number, their NUMA nodes, and their use while the NIC moves
// data.
type coresOf struct {
	Count, Nodes int
	// Receive is the share of each core's time that receiving takes while the path carries Rate; cores without an entry
	// have none.
	Receive map[int]float64
	Queues  int                 // of the NIC, each with its interrupt
	Serve   func(queue int) int // the core that serves a queue
	Boot    uint64              // interrupts of all queues before the experiment
}

// carried returns the bytes per second that an interface counts at a link's rate in the lab: whole frames for received
// data, which the impaired link has segmented, and almost no headers for data sent in super-packets.
func (p *Place) carried(rate float64, moved string) float64 {
	counted := float64(p.MTU) + 14
	if moved == "tb" {
		counted -= 14 + 52
	}
	return rate * float64(p.Rate) / float64(p.Planned) / 8 * counted / (float64(p.MTU) + 38)
}

// Cores makes a host report simulated cores, because a namespace has none of its own. Their use depends on the bytes
// that the interface moved: rb received, tb sent. The texts have the form of the kernel's files.
func (p *Place) Cores(e End, m coresOf, moved string, rate float64) {
	var stat strings.Builder
	fmt.Fprintf(&stat,
		"d=/sys/class/net/%s/statistics; rb=$(cat $d/rx_bytes); tb=$(cat $d/tx_bytes); now=$(cut -d' ' -f1 /proc/uptime "+
			"| tr -d .)", e.Interface)
	for core := range m.Count {
		fmt.Fprintf(&stat, "; s=$((%s * %.0f / %.0f)); echo \"cpu%d 1000 0 1000 $((now - s)) 0 0 $s 0 0 0\"", moved,
			1e5*m.Receive[core], 1e3*p.carried(rate, moved), core)
	}
	full, counters := map[string]string{}, map[string]string{"proc/stat": stat.String()}
	full["proc/stat"] = stat.String()
	full["sys/devices/system/cpu/online"] = says(fmt.Sprintf("0-%d", m.Count-1))
	full["sys/devices/system/node/online"] = says(fmt.Sprintf("0-%d", m.Nodes-1))
	var nodes []string
	each := m.Count / m.Nodes
	for n := range m.Nodes {
		nodes = append(nodes, fmt.Sprintf("/sys/devices/system/node/node%d/cpulist:%d-%d", n, n*each, (n+1)*each-1))
	}
	full["grep . /sys/devices/system/node/node*/cpulist"] = says(strings.Join(nodes, "\n"))
	var lines strings.Builder
	fmt.Fprintf(&lines, "d=/sys/class/net/%s/statistics; rb=$(cat $d/rx_bytes); tb=$(cat $d/tx_bytes); printf '%%5s' ''",
		e.Interface)
	for core := range m.Count {
		fmt.Fprintf(&lines, "; printf '%%11s' CPU%d", core)
	}
	lines.WriteString("; echo")
	for q := range m.Queues {
		fmt.Fprintf(&lines, "; printf '%%4d:' %d", 90+q)
		for core := range m.Count {
			count := "0"
			if core == m.Serve(q) {
				count = fmt.Sprintf("$((%d + %s / %d))", m.Boot/uint64(m.Queues), moved, 6000*m.Queues)
			}
			fmt.Fprintf(&lines, "; printf ' %%10d' %s", count)
		}
		fmt.Fprintf(&lines, "; echo '  IR-PCI-MSIX-%s    %d-edge      mlx5_comp%d@pci:%s'", nicAddress, q+1, q, nicAddress)
	}
	full["proc/interrupts"] = lines.String()
	p.tell(e.Host, full, counters)
}
