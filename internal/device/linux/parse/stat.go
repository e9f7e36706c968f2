package parse

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// userHZ is the unit of /proc/stat in Hz: USER_HZ, 100 on every architecture of Go, whatever the kernel's tick is.
const userHZ = 100

// ParseStat reads the CPU time of each core from /proc/stat. Format:
// https://docs.kernel.org/filesystems/proc.html#miscellaneous-kernel-statistics-in-proc-stat As in the file, user and
// nice include guest time.
func ParseStat(text []byte) ([]facts.CoreTime, error) {
	var cores []facts.CoreTime
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || !strings.HasPrefix(fields[0], "cpu") || fields[0] == "cpu" {
			continue
		}
		core, err := strconv.Atoi(fields[0][len("cpu"):])
		if err != nil || core < 0 {
			return cores, parse.Partial{Err: fmt.Errorf("%.20q is not a core", fields[0])}
		}
		if len(fields) < 9 {
			return cores, parse.Partial{Err: fmt.Errorf("cpu%d has %d columns; user, nice, system, idle, iowait, irq, "+
				"softirq and steal are needed", core, len(fields)-1)}
		}
		var v [8]float64
		for i := range v {
			n, err := strconv.ParseUint(fields[i+1], 10, 64)
			if err != nil {
				return cores, parse.Partial{Err: fmt.Errorf("cpu%d: %.40q is not a time", core, fields[i+1])}
			}
			v[i] = float64(n) / userHZ
		}
		cores = append(cores, facts.CoreTime{Core: core, User: v[0], Nice: v[1], System: v[2], Idle: v[3], IOWait: v[4],
			IRQ: v[5], SoftIRQ: v[6], Steal: v[7]})
	}
	if len(cores) == 0 {
		return nil, errors.New("it has no line of a core (cpu0 ..)")
	}
	return cores, nil
}
