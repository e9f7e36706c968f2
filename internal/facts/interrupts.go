package facts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// Interrupts are the device interrupts of a machine since it was started.
type Interrupts struct {
	CPUs  []int // the processors that are counted, by number
	Lines []Interrupt
}

// Interrupt is one interrupt and which processors served it.
type Interrupt struct {
	Number int
	Name   string // what asked for it: "eth0-TxRx-6", "mlx5_comp0@pci:0000:01:00.0"; several with commas
	Device string // interface ("eth0"), PCI address or virtio device ("virtio2") in that name; empty: none
	Served []ServedBy
	Total  uint64
	Proof  // kept where one processor served more than 1e8
}

// ServedBy is how often a processor served an interrupt; never 0.
type ServedBy struct {
	CPU   int
	Count uint64
}

// manyInterrupts is from how many on a line of /proc/interrupts may be evidence, and is kept.
const manyInterrupts = 100_000_000

var (
	cpuColumn = lazyregexp.New(`^CPU(\d+)$`)
	irqMode   = lazyregexp.New(`(?i)^\S*(?:edge|level|fasteoi|fasteio)$`)
	// What drivers call the interrupts of an interface's queues: NAME, NAME-rx-0, NAME-TxRx-0, NAME-tx-0-rx-3, NAME-Tx-Rx-0, NAME-fp-0,
	// NAME-0, i40e-NAME-TxRx-0.
	queueName = lazyregexp.New(`^(?:i40e-|ice-|iavf-)?([A-Za-z][\w.]*?)(?:-(?:TxRx|Tx-Rx|rxtx|rx|tx|fp|[Rr]x[Tt]x)-?\d+(?:-rx-\d+)?)$`)
	plainName = lazyregexp.New(`^((?:eth|em|ib)\d+|p\d+p\d+(?:_\d+)?|en[opsx]\w+)(?:-\d+)?$`)
	virtioIRQ = lazyregexp.New(`^(virtio\d+)-(?:input|output)\.\d+$`)
)

// parseInterrupts reads /proc/interrupts: a column a processor that is online, then a line an interrupt. Only those with a number
// are kept: the others are the machine's own. Format: https://docs.kernel.org/filesystems/proc.html
//
//	          CPU0       CPU1
//	67: 1389886576          0   PCI-MSI-edge      eth1-rx-0
//	58:          0 1195697946   ITS-MSI 81921 Edge      eth0-Tx-Rx-0
func parseInterrupts(text []byte) (*Interrupts, error) {
	in := &Interrupts{}
	var damage error
	for line := range strings.Lines(string(text)) {
		if in.CPUs == nil {
			for _, w := range strings.Fields(line) {
				m := cpuColumn.FindStringSubmatch(w)
				if m == nil {
					return nil, toolError(text)
				}
				n, err := strconv.Atoi(m[1])
				if err != nil || n >= maxCPUs || len(in.CPUs) >= maxCPUs {
					return nil, fmt.Errorf("%.20q is no processor; their numbers end at %d", w, maxCPUs-1)
				}
				in.CPUs = append(in.CPUs, n)
			}
			continue
		}
		head, rest, _ := strings.Cut(line, ":")
		number, err := strconv.Atoi(strings.TrimSpace(head))
		if err != nil || number < 0 {
			continue
		}
		irq, err := in.line(number, strings.Fields(rest))
		if err != nil {
			damage = partial{err}
			continue
		}
		if slices.ContainsFunc(irq.Served, func(s ServedBy) bool { return s.Count >= manyInterrupts }) {
			irq.Proof.Line = oneLine(line)
		}
		in.Lines = append(in.Lines, irq)
	}
	if in.CPUs == nil || len(in.Lines) == 0 {
		return nil, toolError(text)
	}
	return in, damage
}

// line reads what stands behind the number of an interrupt.
func (in *Interrupts) line(number int, words []string) (irq Interrupt, err error) {
	irq.Number = number
	if len(words) < len(in.CPUs) {
		return irq, fmt.Errorf("interrupt %d has %d columns, and there are %d processors", number, len(words), len(in.CPUs))
	}
	for i, cpu := range in.CPUs {
		n, err := strconv.ParseUint(words[i], 10, 64)
		if err != nil {
			return irq, fmt.Errorf("interrupt %d, CPU%d: %.20q is no count", number, cpu, words[i])
		}
		if n > 0 {
			irq.Served = append(irq.Served, ServedBy{cpu, n})
			irq.Total += n
		}
	}
	words = words[len(in.CPUs):]
	for i, w := range words { // "PCI-MSI-edge eth0", "PCI-MSI 81920-edge virtio2-config", "GICv3 27 Level arch_timer"
		if irqMode.MatchString(w) {
			words = words[i+1:]
			break
		}
	}
	irq.Name = strings.Join(words, " ")
	irq.Device = interruptDevice(irq.Name)
	return irq, nil
}

// interruptDevice is what an interrupt's name says that it is of; empty where several share it.
func interruptDevice(name string) string {
	if strings.Contains(name, ",") {
		return ""
	}
	if _, address, ok := strings.Cut(name, "@pci:"); ok && pciAddress.MatchString(address) {
		return address
	}
	for _, form := range []*lazyregexp.Regexp{queueName, plainName, virtioIRQ} {
		if m := form.FindStringSubmatch(name); m != nil {
			return m[1]
		}
	}
	return ""
}

func putInterrupts(f *Facts, _ []string, in *Interrupts) {
	for i := range in.Lines {
		if in.Lines[i].Proof.Line != "" {
			in.Lines[i].Source = f.reading
		}
	}
	f.Interrupts = in
}
