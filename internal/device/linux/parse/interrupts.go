package parse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/pci"
)

// manyInterrupts is the least count on a line of /proc/interrupts that is kept as evidence.
const manyInterrupts = 100_000_000

var (
	cpuColumn = lazyregexp.New(`^CPU(\d+)$`)
	irqMode   = lazyregexp.New(`(?i)^\S*(?:edge|level|fasteoi|fasteio)$`)
	// Drivers' names of the interrupts of an interface's queues: NAME, NAME-rx-0, NAME-TxRx-0, NAME-tx-0-rx-3,
	// NAME-Tx-Rx-0, NAME-fp-0, NAME-0, i40e-NAME-TxRx-0.
	queueName = lazyregexp.New(`^(?:i40e-|ice-|iavf-)?([A-Za-z][\w.]*?)(?:-(?:TxRx|Tx-Rx|rxtx|rx|tx|fp|[Rr]x[Tt]x)-?\d+(?:-rx-\d+)?)$`)
	plainName = lazyregexp.New(`^((?:eth|em|ib)\d+|p\d+p\d+(?:_\d+)?|en[opsx]\w+)(?:-\d+)?$`)
	virtioIRQ = lazyregexp.New(`^(virtio\d+)-(?:input|output)\.\d+$`)
)

// parseInterrupts reads /proc/interrupts: one column per online CPU, then one line per interrupt. It keeps only
// interrupts with a number: the others are internal to the machine. Format:
// https://docs.kernel.org/filesystems/proc.html
//
//	          CPU0       CPU1
//	67: 1389886576          0   PCI-MSI-edge      eth1-rx-0
//	58:          0 1195697946   ITS-MSI 81921 Edge      eth0-Tx-Rx-0
func parseInterrupts(text []byte) (*facts.Interrupts, error) {
	in := &facts.Interrupts{}
	var damage error
	for line := range strings.Lines(string(text)) {
		if in.CPUs == nil {
			for _, w := range strings.Fields(line) {
				m := cpuColumn.FindStringSubmatch(w)
				if m == nil {
					return nil, parse.ToolError(text)
				}
				n, err := strconv.Atoi(m[1])
				if err != nil || n >= parse.MaxCPUs || len(in.CPUs) >= parse.MaxCPUs {
					return nil, fmt.Errorf("%.20q is not a CPU; their numbers end at %d", w, parse.MaxCPUs-1)
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
		irq, err := interruptLine(in, number, strings.Fields(rest))
		if err != nil {
			damage = parse.Partial{Err: err}
			continue
		}
		if slices.ContainsFunc(irq.Served, func(s facts.ServedBy) bool { return s.Count >= manyInterrupts }) {
			irq.Proof.Line = facts.OneLine(line)
		}
		in.Lines = append(in.Lines, irq)
	}
	if in.CPUs == nil || len(in.Lines) == 0 {
		return nil, parse.ToolError(text)
	}
	return in, damage
}

// interruptLine reads the words after the number of an interrupt.
func interruptLine(in *facts.Interrupts, number int, words []string) (irq facts.Interrupt, err error) {
	irq.Number = number
	if len(words) < len(in.CPUs) {
		return irq, fmt.Errorf("interrupt %d has %d columns, and there are %d CPUs", number, len(words), len(in.CPUs))
	}
	for i, cpu := range in.CPUs {
		n, err := strconv.ParseUint(words[i], 10, 64)
		if err != nil {
			return irq, fmt.Errorf("interrupt %d, CPU%d: %.20q is not a count", number, cpu, words[i])
		}
		if n > 0 {
			irq.Served = append(irq.Served, facts.ServedBy{CPU: cpu, Count: n})
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

// interruptDevice returns the device in an interrupt's name; empty if several share it.
func interruptDevice(name string) string {
	if strings.Contains(name, ",") {
		return ""
	}
	if _, address, ok := strings.Cut(name, "@pci:"); ok && pci.Address.MatchString(address) {
		return address
	}
	for _, form := range []*lazyregexp.Regexp{queueName, plainName, virtioIRQ} {
		if m := form.FindStringSubmatch(name); m != nil {
			return m[1]
		}
	}
	return ""
}

func putInterrupts(f *parse.Builder, _ []string, in *facts.Interrupts) {
	for i := range in.Lines {
		if in.Lines[i].Proof.Line != "" {
			in.Lines[i].Source = f.Reading
		}
	}
	f.Interrupts = in
}
