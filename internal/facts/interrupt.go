package facts

import (
	"slices"
)

// IRQ is an interrupt of an interface, and the CPUs that may serve it.
type IRQ struct {
	Number int   `json:"number"`
	CPUs   []int `json:"cpus"` // nil: unknown
	Proof
}

// InterruptsOf returns the interrupts of an interface: by the numbers in sysfs, else by their names.
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

// Interrupts are the device interrupts of a machine since boot.
type Interrupts struct {
	CPUs  []int       `json:"cpus"` // the counted CPUs, by number
	Lines []Interrupt `json:"lines"`
}

// Interrupt is one interrupt and the CPUs that served it.
type Interrupt struct {
	Number int    `json:"number"`
	Name   string `json:"name"` // its source: "eth0-TxRx-6", "mlx5_comp0@pci:0000:01:00.0"; several with commas
	// interface ("eth0"), PCI address or virtio device ("virtio2") in that name; empty: none
	Device string     `json:"device"`
	Served []ServedBy `json:"served"`
	Total  uint64     `json:"total"`
	Proof             // kept if one CPU served more than 1e8
}

// ServedBy is how often a CPU served an interrupt; never 0.
type ServedBy struct {
	CPU   int    `json:"cpu"`
	Count uint64 `json:"count"`
}
