package parse

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/facts"
)

// kernelThread is PF_KTHREAD in a task's flags (include/linux/sched.h).
const kernelThread = 0x00200000

// ParseTaskStat reads /proc/PID/stat: one line, with the name in round brackets, which may contain brackets and spaces.
// Format: https://docs.kernel.org/filesystems/proc.html (table 1-4), proc_pid_stat(5).
func ParseTaskStat(text []byte) (facts.Task, error) {
	line := string(text)
	open, shut := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || shut < open {
		return facts.Task{}, errors.New("it has no name in brackets")
	}
	id, err := strconv.Atoi(strings.TrimSpace(line[:open]))
	if err != nil || id < 0 {
		return facts.Task{}, fmt.Errorf("%.20q is not an id", line[:open])
	}
	// The columns after the name are counted from 3 on: state, parent, ..
	fields := strings.Fields(line[shut+1:])
	if len(fields) < 37 {
		return facts.Task{}, fmt.Errorf("it has %d columns; 39 are needed", len(fields)+2)
	}
	var v [5]uint64
	for i, column := range []int{9, 14, 15, 22, 39} {
		if v[i], err = strconv.ParseUint(fields[column-3], 10, 64); err != nil {
			return facts.Task{}, fmt.Errorf("column %d is %.40q, no number", column, fields[column-3])
		}
	}
	if v[4] > 1<<20 {
		return facts.Task{}, fmt.Errorf("column 39 is %d, no core", v[4])
	}
	return facts.Task{ID: id, Name: line[open+1 : shut], Kernel: v[0]&kernelThread != 0, User: float64(v[1]) / userHZ,
		System: float64(v[2]) / userHZ, Start: v[3], Core: int(v[4])}, nil
}
