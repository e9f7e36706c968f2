package facts

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// NUMANode is a part of the machine with processors and memory of its own.
type NUMANode struct {
	Node int
	CPUs []int // empty: it has memory alone
	Proof
}

var nodeList = lazyregexp.New(`^/sys/devices/system/node/node(\d+)/cpulist$`)

// readNodes reads "grep . /sys/devices/system/node/node*/cpulist".
// Format: https://docs.kernel.org/admin-guide/abi-stable.html (sysfs-devices-node).
func readNodes(f *Facts, _ []string, text []byte) error {
	return readGrep(text, func(path, value string) bool {
		m := nodeList.FindStringSubmatch(path)
		if m == nil {
			return false
		}
		n, err := strconv.Atoi(m[1])
		cpus, err2 := parseCPUList(value)
		if err != nil || err2 != nil {
			return false
		}
		f.node(NUMANode{n, cpus, f.proof(path + ":" + value)})
		return true
	})
}

// node adds a node, or replaces the one of its number.
func (f *Facts) node(n NUMANode) {
	if i := slices.IndexFunc(f.NUMA, func(o NUMANode) bool { return o.Node == n.Node }); i >= 0 {
		f.NUMA[i] = n
		return
	}
	f.NUMA = append(f.NUMA, n)
}

// NodeOf is the node of a processor; false: not known.
func (f *Facts) NodeOf(cpu int) (int, bool) {
	for _, n := range f.NUMA {
		if slices.Contains(n.CPUs, cpu) {
			return n.Node, true
		}
	}
	return 0, false
}

var numactlCPUs = lazyregexp.New(`^node (\d+) cpus:(.*)$`)

// readNumactl reads "numactl --hardware" (-H), of which the lines "node 0 cpus: 0 1 2" count. Nodes may be sparse (POWER: 0, 8,
// 252), without processors, or without memory. Format: https://man7.org/linux/man-pages/man8/numactl.8.html
func readNumactl(f *Facts, _ []string, text []byte) error {
	seen := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		m := numactlCPUs.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		cpus, err2 := parseCPUList(m[2])
		if err != nil || err2 != nil {
			return partial{errors.New("it has a line \"node N cpus:\" that lists no processors")}
		}
		f.node(NUMANode{n, cpus, f.proof(line)})
		seen = true
	}
	if !seen {
		return toolError(text)
	}
	return nil
}

// lscpu is what the output of that name says.
type lscpu struct {
	model string
	cpus  int
	nodes []NUMANode
	lines []string // of the nodes
	virt  string   // "KVM", "VMware"
}

var lscpuNode = lazyregexp.New(`^NUMA node(\d+) CPU\(s\):`)

// parseLscpu reads "lscpu": "CPU(s):  32", and from util-linux 2.37 on keys that are set in: "  NUMA node0 CPU(s): 0-15". The keys are
// translated in other locales; then it has none that is known. Format: https://man7.org/linux/man-pages/man1/lscpu.1.html
func parseLscpu(text []byte) (lscpu, error) {
	var v lscpu
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch {
		case key == "CPU(s)":
			if n, err := strconv.Atoi(value); err == nil && n > 0 && v.cpus == 0 {
				v.cpus = n
			}
		case key == "Model name" && v.model == "":
			v.model = oneLine(value)
		case key == "Hypervisor vendor":
			v.virt = oneLine(value)
		case lscpuNode.MatchString(strings.TrimSpace(line)):
			n, err := strconv.Atoi(lscpuNode.FindStringSubmatch(strings.TrimSpace(line))[1])
			cpus, err2 := parseCPUList(value)
			if err == nil && err2 == nil {
				v.nodes, v.lines = append(v.nodes, NUMANode{Node: n, CPUs: cpus}), append(v.lines, line)
			}
		}
	}
	if v.cpus == 0 {
		return v, toolError(text)
	}
	return v, nil
}

func putLscpu(f *Facts, _ []string, v lscpu) {
	f.CPU.Count = known(v.cpus)
	if v.model != "" && !f.CPU.Model.IsKnown() {
		f.CPU.Model = known(v.model)
	}
	if v.virt != "" {
		f.CPU.Hypervisor = v.virt
	}
	for i, n := range v.nodes {
		n.Proof = f.proof(v.lines[i])
		f.node(n)
	}
}

// putOnline reads /sys/devices/system/cpu/online.
func putOnline(f *Facts, _ []string, list string) {
	if cpus, err := parseCPUList(list); err == nil && len(cpus) > 0 {
		f.CPU.Count = known(len(cpus))
	}
}

// Processors is how many processors are online, from whatever says it.
func (f *Facts) Processors() unit.Opt[int] {
	switch {
	case f.CPU.Count.IsKnown():
		return f.CPU.Count
	case len(f.CPU.Cores) > 0:
		return known(len(f.CPU.Cores))
	case f.Interrupts != nil:
		return known(len(f.Interrupts.CPUs))
	}
	return unit.Unknown[int]("nothing in the capture counts them")
}
