package parse

import (
	"strconv"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// putIRQs reads "ls /sys/class/net/NAME/device/msi_irqs": the numbers of an interface's interrupts.
func putIRQs(f *parse.Builder, args []string, names []string) {
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil && n >= 0 {
			nic := f.Interface(args[0])
			nic.IRQs = append(nic.IRQs, facts.IRQ{Number: n})
		}
	}
}

var affinityFile = lazyregexp.New(`^/proc/irq/(\d+)/(?:smp_affinity_list|effective_affinity_list)$`)

// readAffinity reads "grep . /proc/irq/*/smp_affinity_list", lines PATH:LIST, for the interrupts of interfaces
// (putIRQs). Format: https://docs.kernel.org/core-api/irq/irq-affinity.html. Snapshot: a development machine.
func readAffinity(f *parse.Builder, _ []string, text []byte) error {
	lists := map[int]facts.Proof{}
	cpus := map[int][]int{}
	err := parse.ReadGrep(text, func(path, value string) bool {
		m := affinityFile.FindStringSubmatch(path)
		if m == nil {
			return false
		}
		n, err := strconv.Atoi(m[1])
		list, err2 := parse.ParseCPUList(value)
		if err != nil || err2 != nil {
			return false
		}
		lists[n], cpus[n] = f.Proof(path+":"+value), list
		return true
	})
	if err != nil {
		return err
	}
	for i := range f.NICs {
		for j := range f.NICs[i].IRQs {
			irq := &f.NICs[i].IRQs[j]
			if list, ok := cpus[irq.Number]; ok {
				irq.CPUs, irq.Proof = list, lists[irq.Number]
			}
		}
	}
	return nil
}
