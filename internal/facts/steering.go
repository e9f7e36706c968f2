package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// QueueCPUs are the processors of a queue of an interface: those that its received packets are handed to (RPS), or those that send
// through it (XPS).
type QueueCPUs struct {
	Transmit bool
	Queue    int
	CPUs     CPUSet // empty: none are set
	Proof
}

// CPUSet is a set of processors by number, 64 a word.
type CPUSet []uint64

// Has says whether a processor is in it.
func (s CPUSet) Has(cpu int) bool { return cpu >= 0 && cpu/64 < len(s) && s[cpu/64]>>(cpu%64)&1 == 1 }

// Len is the number behind the last processor that it could have.
func (s CPUSet) Len() int { return 64 * len(s) }

// List are its processors in their order.
func (s CPUSet) List() (cpus []int) {
	for cpu := range s.Len() {
		if s.Has(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// parseCPUMask reads a mask as the kernel writes it: hexadecimal, with a comma between 32 bits, the lowest last: "00000001,0000ff00".
func parseCPUMask(s string) (set CPUSet, ok bool) {
	digits := strings.ReplaceAll(s, ",", "")
	if digits == "" || len(digits) > maxCPUs/4 {
		return nil, false
	}
	for end := len(digits); end > 0; end -= 16 {
		v, err := strconv.ParseUint(digits[max(0, end-16):end], 16, 64)
		if err != nil {
			return nil, false
		}
		set = append(set, v)
	}
	for len(set) > 0 && set[len(set)-1] == 0 {
		set = set[:len(set)-1]
	}
	return set, true
}

var steeringFile = lazyregexp.New(`^/sys/class/net/([^/]+)/queues/(?:rx-(\d+)/rps_cpus|tx-(\d+)/xps_cpus)$`)

// readSteering reads "grep . /sys/class/net/*/queues/*/[rx]ps_cpus", lines PATH:MASK. Where xps_rxqs is set as well the kernel asks that
// first; it is not read. Of a card with one queue for sending the kernel has no mask.
// Format: https://docs.kernel.org/networking/scaling.html (RPS, XPS). The capture behind it is of a pair of interfaces with four queues
// on this program's own machine.
func readSteering(f *Facts, _ []string, text []byte) error {
	return readGrep(text, func(path, value string) bool {
		m := steeringFile.FindStringSubmatch(path)
		if m == nil {
			return false
		}
		queue, err := strconv.Atoi(m[2] + m[3])
		set, ok := parseCPUMask(value)
		if err != nil || !ok {
			return false
		}
		nic := f.nic(m[1])
		nic.Steered = append(nic.Steered, QueueCPUs{Transmit: m[3] != "", Queue: queue, CPUs: set, Proof: f.proof(path + ":" + value)})
		if m[2] != "" {
			nic.RPS = known(nic.RPS.Or(false) || len(set) > 0)
		}
		return true
	})
}
