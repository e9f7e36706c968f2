package placement

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/failure"
	"linerate/internal/base/xslices"
)

// Layout has the NUMA nodes of the cores and the NIC of this end. It is read once an experiment.
type Layout struct {
	cores  map[int][]int // of each node, ascending; nil: unknown
	why    string        // why not
	Device string        // the interface with this end's address; empty: unknown
	nic    int           // the node that it is on; -1: none, or unknown
	nicWhy string        // why not
}

// NewLayout reads the layout from sysfs: /sys/devices/system/node/nodeN/cpulist
// (https://docs.kernel.org/admin-guide/abi-stable.html) and numa_node of the interface's device.
// A process in a network namespace may see the sysfs of another one: an interface of another number is another one.
func NewLayout(sys, device string, index int) *Layout {
	l := &Layout{Device: device, nic: -1, nicWhy: "no interface has the address of this end"}
	l.cores, l.why = nodeCores(sys)
	if device == "" {
		return l
	}
	text, err := os.ReadFile(filepath.Join(sys, "class/net", device, "ifindex"))
	switch {
	case err != nil:
		l.nicWhy = "sysfs does not show " + device
	case index != 0 && strings.TrimSpace(string(text)) != strconv.Itoa(index):
		l.nicWhy = "sysfs shows another network namespace"
	default:
		l.nic, l.nicWhy = deviceNode(filepath.Join(sys, "class/net"), device, 3)
	}
	return l
}

// nodeCores returns the cores of every node that has some.
func nodeCores(sys string) (map[int][]int, string) {
	files, _ := filepath.Glob(filepath.Join(sys, "devices/system/node/node[0-9]*/cpulist"))
	out := map[int][]int{}
	for _, f := range files {
		n, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(filepath.Dir(f)), "node"))
		text, failed := os.ReadFile(f)
		list := strings.TrimSpace(string(text))
		if err != nil || failed != nil || list == "" {
			continue // a node of memory alone has no cores
		}
		if out[n], err = ParseCores(list); err != nil {
			return nil, fmt.Sprintf("%s: %v", f, err)
		}
		slices.Sort(out[n])
	}
	if len(out) == 0 {
		return nil, "the kernel names no NUMA nodes in " + filepath.Join(sys, "devices/system/node")
	}
	return out, ""
}

// deviceNode returns the node of an interface: that of its device or bus; of a bond, a bridge or a VLAN that of what is
// below it, if all of it is on one node.
func deviceNode(class, name string, deep int) (node int, why string) {
	dir := filepath.Join(class, name)
	if device, err := filepath.EvalSymlinks(filepath.Join(dir, "device")); err == nil {
		for at := device; filepath.Base(at) != "devices" && filepath.Dir(at) != at; at = filepath.Dir(at) {
			text, err := os.ReadFile(filepath.Join(at, "numa_node"))
			if err != nil {
				continue
			}
			if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && n >= 0 {
				return n, ""
			}
			return -1, name + " is on no particular node"
		}
		return -1, "the kernel does not say which node " + name + " is on"
	}
	node = -1
	lower, _ := filepath.Glob(filepath.Join(dir, "lower_*"))
	for _, l := range lower {
		if deep == 0 {
			break
		}
		n, why := deviceNode(class, strings.TrimPrefix(filepath.Base(l), "lower_"), deep-1)
		if n < 0 {
			return -1, why
		}
		if node >= 0 && node != n {
			return -1, fmt.Sprintf("what is below %s is on several nodes", name)
		}
		node = n
	}
	if node < 0 {
		return -1, name + " has no device behind it"
	}
	return node, ""
}

// DeviceOf returns the interface of an experiment: the given one, else that with the local address. Between two
// addresses of one host everything goes over the loopback interface.
func DeviceOf(device string, own, remote netip.Addr) (name string, index int) {
	if device != "" {
		if i, err := net.InterfaceByName(device); err == nil {
			index = i.Index
		}
		return device, index
	}
	all, err := net.Interfaces()
	if err != nil {
		return "", 0
	}
	local, loopback := net.Interface{}, net.Interface{}
	here := map[netip.Addr]bool{}
	for _, i := range all {
		if i.Flags&net.FlagLoopback != 0 {
			loopback = i
		}
		addresses, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, a := range addresses {
			if p, err := netip.ParsePrefix(a.String()); err == nil {
				at := p.Addr().WithZone("")
				here[at] = true
				if at == own.WithZone("") {
					local = i
				}
			}
		}
	}
	// No list of addresses has 127.0.0.2, which the loopback interface has, too.
	if here[own.WithZone("")] && here[remote.WithZone("")] || local.Name == "" && own.IsLoopback() {
		return loopback.Name, loopback.Index
	}
	return local.Name, local.Index
}

// Sysfs is where Linux shows devices; elsewhere nothing is found there, and nodes are unknown.
const Sysfs = "/sys"

// nodesText lists the nodes of this host.
func (l *Layout) nodesText() string {
	var all []int
	for n := range l.cores {
		all = append(all, n)
	}
	slices.Sort(all)
	words := make([]string, len(all))
	for i, n := range all {
		words[i] = fmt.Sprintf("node%d", n)
	}
	return strings.Join(words, ", ")
}

// CoresOf returns the allowed cores of nodes, in the order of the nodes.
func (l *Layout) CoresOf(nodes, allowed []int) ([]int, error) {
	var out []int
	for _, n := range nodes {
		name := fmt.Sprintf("node%d", n)
		if l.cores == nil {
			return nil, &failure.Error{Code: failure.CodeInput, Subject: "placement",
				Text: name + ": this host's NUMA nodes are not known: " + l.why + "; name cores"}
		}
		cores, ok := l.cores[n]
		if !ok {
			return nil, &failure.Error{Code: failure.CodeInput, Subject: "placement",
				Text: fmt.Sprintf("%s: this host has no such node with cores; it has %s", name, l.nodesText())}
		}
		before := len(out)
		for _, c := range cores {
			if slices.Contains(allowed, c) && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
		if len(out) == before {
			return nil, &failure.Error{Code: failure.CodeInput, Subject: "placement",
				Text: fmt.Sprintf("%s: this process may use none of its cores (%s); its own set is %s",
					name, strings.TrimPrefix(CoresText(cores), "cores "), strings.TrimPrefix(CoresText(allowed), "cores "))}
		}
	}
	return out, nil
}

// Prefer returns cores with those of the NIC's node first; unchanged where the node is unknown or the only one.
func (l *Layout) Prefer(cores []int) []int {
	if l == nil || len(l.cores) < 2 || len(l.cores[l.nic]) == 0 {
		return cores
	}
	var near, far []int
	for _, c := range cores {
		if slices.Contains(l.cores[l.nic], c) {
			near = append(near, c)
		} else {
			far = append(far, c)
		}
	}
	return append(near, far...)
}

// text prints a list of cores, with their nodes where there are several or the setup names one.
func (l *Layout) text(cores []int, asked bool) string {
	text := CoresText(cores)
	if l == nil || len(cores) == 0 || len(l.cores) < 2 && !asked {
		return text
	}
	var words []string
	for _, c := range cores {
		word := "node not known"
		for n, of := range l.cores {
			if slices.Contains(of, c) {
				word = fmt.Sprintf("node%d", n)
			}
		}
		words = xslices.AppendNew(words, word)
	}
	text += " on " + strings.Join(words, " and ")
	if l.nic >= 0 {
		text += fmt.Sprintf(", %s on node%d", l.Device, l.nic)
	}
	return text
}

// Parse reads a list of cores such as 0,2,4-7 or of NUMA nodes such as node0 or node0,node1.
func Parse(text string) (cores, nodes []int, err error) {
	if !strings.Contains(text, "node") {
		cores, err = ParseCores(text)
		return cores, nil, err
	}
	for _, part := range strings.Split(text, ",") {
		digits, ok := strings.CutPrefix(strings.TrimSpace(part), "node")
		n, bad := strconv.Atoi(digits)
		if !ok || bad != nil || n < 0 || n > MostNodes || strings.HasPrefix(digits, "+") {
			return nil, nil, fmt.Errorf("%q is not a list of NUMA nodes such as node0 or node0,node1; cores are named without "+
				"the word, and not next to nodes", text)
		}
		nodes = xslices.AppendNew(nodes, n)
	}
	return nil, nodes, nil
}

// MostNodes is the highest number of a node (the kernel's MAX_NUMNODES is 1024 at most).
const MostNodes = 1023
