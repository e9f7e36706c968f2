package facts

import (
	"slices"
	"strconv"

	"linerate/internal/base/lazyregexp"
)

// IRQ is an interrupt of an interface, and which processors may serve it.
type IRQ struct {
	Number int
	CPUs   []int // nil: not known
	Proof
}

// putIRQs reads "ls /sys/class/net/NAME/device/msi_irqs": the numbers of an interface's interrupts.
func putIRQs(f *Facts, args []string, names []string) {
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil && n >= 0 {
			nic := f.nic(args[0])
			nic.IRQs = append(nic.IRQs, IRQ{Number: n})
		}
	}
}

var affinityFile = lazyregexp.New(`^/proc/irq/(\d+)/(?:smp_affinity_list|effective_affinity_list)$`)

// readAffinity reads "grep . /proc/irq/*/smp_affinity_list", lines PATH:LIST, for the interrupts that interfaces have (putIRQs).
// Format: https://docs.kernel.org/core-api/irq/irq-affinity.html. The capture behind it is of this program's own machine.
func readAffinity(f *Facts, _ []string, text []byte) error {
	lists := map[int]Proof{}
	cpus := map[int][]int{}
	err := readGrep(text, func(path, value string) bool {
		m := affinityFile.FindStringSubmatch(path)
		if m == nil {
			return false
		}
		n, err := strconv.Atoi(m[1])
		list, err2 := parseCPUList(value)
		if err != nil || err2 != nil {
			return false
		}
		lists[n], cpus[n] = f.proof(path+":"+value), list
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

// Interrupts are those of an interface: by the numbers that sysfs gives, else by their names.
func (f *Facts) InterruptsOf(nic *Interface) (out []Interrupt) {
	if f.Interrupts == nil {
		return nil
	}
	for _, irq := range f.Interrupts.Lines {
		numbered := slices.ContainsFunc(nic.IRQs, func(n IRQ) bool { return n.Number == irq.Number })
		if numbered || len(nic.IRQs) == 0 && irq.Device != "" && (irq.Device == nic.Name || irq.Device == nic.PCI) {
			out = append(out, irq)
		}
	}
	return out
}
