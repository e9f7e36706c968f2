package parse

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// ParseSoftnet reads /proc/net/softnet_stat: one line per core, with 32-bit hexadecimal columns: processed, dropped,
// time_squeeze, .., and from kernel 5.10 on the number of the core in column 13. Earlier kernels omit offline cores
// without notice; there the line's number is used. Source: net/core/net-procfs.c, softnet_seq_show;
// https://docs.kernel.org/admin-guide/sysctl/net.html describes the counters.
func ParseSoftnet(text []byte) ([]facts.SoftnetCPU, error) {
	var cpus []facts.SoftnetCPU
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		n := len(cpus)
		if len(fields) < 3 {
			return cpus, parse.Partial{Err: fmt.Errorf("line %d has %d columns; at least processed, dropped and time_squeeze "+
				"are needed", n+1, len(fields))}
		}
		var v [13]uint64
		for i := range min(len(fields), len(v)) {
			x, err := strconv.ParseUint(fields[i], 16, 32)
			if err != nil {
				return cpus, parse.Partial{Err: fmt.Errorf("line %d: %.20q is not a 32-bit hexadecimal counter", n+1, fields[i])}
			}
			v[i] = x
		}
		core := n
		if len(fields) >= 13 {
			core = int(v[12])
		}
		cpus = append(cpus, facts.SoftnetCPU{Core: core, Processed: v[0], Dropped: v[1], TimeSqueeze: v[2]})
	}
	if len(cpus) == 0 {
		return nil, errors.New("it is empty")
	}
	return cpus, nil
}

// readSoftnet reads softnet_stat, and the drops of all cores.
func readSoftnet(f *parse.Builder, _ []string, text []byte) error {
	cpus, err := ParseSoftnet(text)
	var part parse.Partial
	if err != nil && !errors.As(err, &part) {
		return err
	}
	f.Softnet = cpus
	var dropped, processed uint64
	line, n := "", 0
	for l := range strings.Lines(string(text)) {
		if len(strings.Fields(l)) == 0 || n == len(cpus) {
			continue
		}
		dropped, processed = dropped+cpus[n].Dropped, processed+cpus[n].Processed
		if line == "" || dropped == cpus[n].Dropped { // the first line with drops
			line = l
		}
		n++
	}
	if n > 0 {
		f.Counted(facts.BacklogDrops, "", dropped, unit.Known(processed+dropped),
			line) // dropped packets are not counted as processed
	}
	return err
}
