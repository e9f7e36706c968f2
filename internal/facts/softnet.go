package facts

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parseSoftnet reads /proc/net/softnet_stat: one line a core, 32-bit hexadecimal
// columns: processed, dropped, time_squeeze, .., and from kernel 5.10 on the
// number of the core in column 13. Earlier kernels leave out cores that are
// offline without saying so; there the number is that of the line.
// Source: net/core/net-procfs.c, softnet_seq_show;
// https://docs.kernel.org/admin-guide/sysctl/net.html names the counters' meaning.
func parseSoftnet(text []byte) ([]SoftnetCPU, error) {
	var cpus []SoftnetCPU
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		n := len(cpus)
		if len(fields) < 3 {
			return cpus, partial{fmt.Errorf("line %d has %d columns; at least processed, dropped and time_squeeze are needed", n+1, len(fields))}
		}
		var v [13]uint64
		for i := range min(len(fields), len(v)) {
			x, err := strconv.ParseUint(fields[i], 16, 32)
			if err != nil {
				return cpus, partial{fmt.Errorf("line %d: %.20q is no 32-bit hexadecimal counter", n+1, fields[i])}
			}
			v[i] = x
		}
		core := n
		if len(fields) >= 13 {
			core = int(v[12])
		}
		cpus = append(cpus, SoftnetCPU{Core: core, Processed: v[0], Dropped: v[1], TimeSqueeze: v[2]})
	}
	if len(cpus) == 0 {
		return nil, errors.New("it is empty")
	}
	return cpus, nil
}

// readSoftnet reads softnet_stat, and what all cores dropped.
func readSoftnet(f *Facts, _ []string, text []byte) error {
	cpus, err := parseSoftnet(text)
	var part partial
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
		if line == "" || dropped == cpus[n].Dropped { // the first that drops
			line = l
		}
		n++
	}
	if n > 0 {
		f.counted(BacklogDrops, "", dropped, known(processed+dropped), line) // what is dropped is not counted as processed
	}
	return err
}
