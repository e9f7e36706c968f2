package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// parseCPUMask reads the kernel's form of a mask: hexadecimal, with a comma every 32 bits, the lowest last:
// "00000001,0000ff00".
func parseCPUMask(s string) (set facts.CPUSet, ok bool) {
	digits := strings.ReplaceAll(s, ",", "")
	if digits == "" || len(digits) > parse.MaxCPUs/4 {
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

// readSteering reads "grep . /sys/class/net/*/queues/*/[rx]ps_cpus", lines PATH:MASK. It does not read xps_rxqs, which
// takes precedence in the kernel. Adapters with one transmit queue have no mask. Format:
// https://docs.kernel.org/networking/scaling.html (RPS, XPS). Snapshot: a pair of interfaces with four queues on a
// development machine.
func readSteering(f *parse.Builder, _ []string, text []byte) error {
	return parse.ReadGrep(text, func(path, value string) bool {
		m := steeringFile.FindStringSubmatch(path)
		if m == nil {
			return false
		}
		queue, err := strconv.Atoi(m[2] + m[3])
		set, ok := parseCPUMask(value)
		if err != nil || !ok {
			return false
		}
		nic := f.Interface(m[1])
		nic.Steered = append(nic.Steered, facts.QueueCPUs{Transmit: m[3] != "", Queue: queue, CPUs: set,
			Proof: f.Proof(path + ":" + value)})
		if m[2] != "" {
			nic.RPS = unit.Known(nic.RPS.Or(false) || len(set) > 0)
		}
		return true
	})
}
