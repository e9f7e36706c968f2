package parse

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var nodeList = lazyregexp.New(`^/sys/devices/system/node/node(\d+)/cpulist$`)

// readNodes reads "grep . /sys/devices/system/node/node*/cpulist".
// Format: https://docs.kernel.org/admin-guide/abi-stable.html (sysfs-devices-node).
func readNodes(f *parse.Builder, _ []string, text []byte) error {
	return parse.ReadGrep(text, func(path, value string) bool {
		m := nodeList.FindStringSubmatch(path)
		if m == nil {
			return false
		}
		n, err := strconv.Atoi(m[1])
		cpus, err2 := parse.ParseCPUList(value)
		if err != nil || err2 != nil {
			return false
		}
		node(f, facts.NUMANode{Node: n, CPUs: cpus, Proof: f.Proof(path + ":" + value)})
		return true
	})
}

// node adds a node, or replaces the one of its number.
func node(f *parse.Builder, n facts.NUMANode) {
	if i := slices.IndexFunc(f.NUMA, func(o facts.NUMANode) bool { return o.Node == n.Node }); i >= 0 {
		f.NUMA[i] = n
		return
	}
	f.NUMA = append(f.NUMA, n)
}

var numactlCPUs = lazyregexp.New(`^node (\d+) cpus:(.*)$`)

// readNumactl reads the lines "node 0 cpus: 0 1 2" of "numactl --hardware" (-H). Nodes may be sparse (POWER: 0, 8,
// 252), without CPUs, or without memory. Format: https://man7.org/linux/man-pages/man8/numactl.8.html
func readNumactl(f *parse.Builder, _ []string, text []byte) error {
	seen := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		m := numactlCPUs.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		cpus, err2 := parse.ParseCPUList(m[2])
		if err != nil || err2 != nil {
			return parse.Partial{Err: errors.New("it has a line \"node N cpus:\" that lists no CPUs")}
		}
		node(f, facts.NUMANode{Node: n, CPUs: cpus, Proof: f.Proof(line)})
		seen = true
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

// lscpu has the values of lscpu's output.
type lscpu struct {
	model string
	cpus  int
	nodes []facts.NUMANode
	lines []string // of the nodes
	virt  string   // "KVM", "VMware"
}

var lscpuNode = lazyregexp.New(`^NUMA node(\d+) CPU\(s\):`)

// parseLscpu reads "lscpu": "CPU(s):  32", and from util-linux 2.37 on indented keys: "  NUMA node0 CPU(s): 0-15".
// Other locales translate the keys, which are then not recognized. Format:
// https://man7.org/linux/man-pages/man1/lscpu.1.html
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
			v.model = facts.OneLine(value)
		case key == "Hypervisor vendor":
			v.virt = facts.OneLine(value)
		case lscpuNode.MatchString(strings.TrimSpace(line)):
			n, err := strconv.Atoi(lscpuNode.FindStringSubmatch(strings.TrimSpace(line))[1])
			cpus, err2 := parse.ParseCPUList(value)
			if err == nil && err2 == nil {
				v.nodes, v.lines = append(v.nodes, facts.NUMANode{Node: n, CPUs: cpus}), append(v.lines, line)
			}
		}
	}
	if v.cpus == 0 {
		return v, parse.ToolError(text)
	}
	return v, nil
}

func putLscpu(f *parse.Builder, _ []string, v lscpu) {
	f.CPU.Count = unit.Known(v.cpus)
	if v.model != "" && !f.CPU.Model.IsKnown() {
		f.CPU.Model = unit.Known(v.model)
	}
	if v.virt != "" {
		f.CPU.Hypervisor = v.virt
	}
	for i, n := range v.nodes {
		n.Proof = f.Proof(v.lines[i])
		node(f, n)
	}
}

// putOnline reads /sys/devices/system/cpu/online.
func putOnline(f *parse.Builder, _ []string, list string) {
	if cpus, err := parse.ParseCPUList(list); err == nil && len(cpus) > 0 {
		f.CPU.Count = unit.Known(len(cpus))
	}
}
