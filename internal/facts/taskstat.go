package facts

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Task is a process or a thread as /proc/PID/stat and /proc/PID/task/TID/stat have it.
type Task struct {
	ID           int
	Name         string  // comm: at most 15 characters, of kernel workers more
	Kernel       bool    // a thread of the kernel (PF_KTHREAD)
	User, System float64 // seconds since it was started
	Start        uint64  // moment of its start since boot, in units of 10 ms: another one means another task of the same id
	Core         int     // that it ran on last
	Runtime      float64 // seconds by the scheduler's clock, from its schedstat; 0: not read
}

// kernelThread is PF_KTHREAD in a task's flags (include/linux/sched.h).
const kernelThread = 0x00200000

// ParseTaskStat reads /proc/PID/stat: one line, the name in round brackets, which may itself hold brackets and spaces.
// Format: https://docs.kernel.org/filesystems/proc.html (table 1-4), proc_pid_stat(5).
func ParseTaskStat(text []byte) (Task, error) {
	line := string(text)
	open, shut := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || shut < open {
		return Task{}, errors.New("it has no name in brackets")
	}
	id, err := strconv.Atoi(strings.TrimSpace(line[:open]))
	if err != nil || id < 0 {
		return Task{}, fmt.Errorf("%.20q is no id", line[:open])
	}
	// Behind the name the columns are counted from 3 on: state, parent, ..
	fields := strings.Fields(line[shut+1:])
	if len(fields) < 37 {
		return Task{}, fmt.Errorf("it has %d columns; 39 are needed", len(fields)+2)
	}
	var v [5]uint64
	for i, column := range []int{9, 14, 15, 22, 39} {
		if v[i], err = strconv.ParseUint(fields[column-3], 10, 64); err != nil {
			return Task{}, fmt.Errorf("column %d is %.40q, no number", column, fields[column-3])
		}
	}
	if v[4] > 1<<20 {
		return Task{}, fmt.Errorf("column 39 is %d, no core", v[4])
	}
	return Task{ID: id, Name: line[open+1 : shut], Kernel: v[0]&kernelThread != 0, User: float64(v[1]) / userHZ, System: float64(v[2]) / userHZ,
		Start: v[3], Core: int(v[4])}, nil
}
