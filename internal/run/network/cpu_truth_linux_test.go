package network

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	linux "linerate/internal/device/linux/parse"
	"linerate/internal/run/runtest"
	"linerate/internal/traffic"
)

// tick is the unit of CPU times in /proc (proc(5), USER_HZ).
const tick = 0.01

// processTime is the CPU time of a process with all its threads, by /proc/PID/stat.
func processTime(t *testing.T, pid int) float64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))
	sum := 0.0
	for _, f := range fields[11:13] { // utime and stime; the state is the first
		ticks, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += ticks * tick
	}
	return sum
}

// coresTime is the busy time of all cores, and their number, from /proc/stat.
func coresTime(t *testing.T) (busy float64, cores int) {
	t.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	all, _ := linux.ParseStat(text)
	for _, c := range all {
		busy += c.User + c.Nice + c.System + c.SoftIRQ + c.IRQ
	}
	return busy, len(all)
}

// The CPU time that a repeat reports, of both ends' processes, of their threads and of all cores, is at least what the
// system counts between two times within the interval, and at most what it counts from before the repeat until after
// it. This holds however busy the machine is.
func TestCPUTruth(t *testing.T) {
	t.Parallel()
	from, to := runtest.TwoAgents(t)
	pids := [2]int{from.Hello().PID, to.Hello().PID}
	read := func() (r [3]float64) {
		r[0], r[1] = processTime(t, pids[0]), processTime(t, pids[1])
		r[2], _ = coresTime(t)
		return r
	}
	s := loopback("throughput", traffic.Out, 2)
	s.Interval, s.Warmup, s.Pace = 2*time.Second, 200*time.Millisecond, 0
	var within [][3]float64
	before := read()
	r, _, err := repeat(t, from, to, s, func() { within = append(within, read()) })
	after := read()
	if err != nil {
		t.Fatal(err)
	}
	var least, most [3]float64
	for i := range most {
		most[i] = after[i] - before[i]
		if len(within) > 1 { // a busy machine skips samples that would begin late
			least[i] = within[len(within)-1][i] - within[0][i]
		}
	}
	_, n := coresTime(t)
	check := func(name string, cores, least, most float64, counters int) {
		t.Helper()
		reported := cores * r.Seconds
		t.Logf("%s: reported %.3f s, the system says %.3f to %.3f s", name, reported, least, most)
		// The agents' interval may differ a little from the repeat's.
		slack := 0.05*most + 2*tick*float64(counters)
		if reported <= 0 || reported < 0.95*least-slack || reported > most+slack {
			t.Errorf("%s: reported %.3f s in %.3f s, the system says %.3f to %.3f s", name, reported, r.Seconds, least, most)
		}
	}
	threads, cores := map[string]float64{}, 0.0
	processes := false
	for _, c := range r.CPU {
		if c.Core >= 0 {
			if c.Host == "a" {
				cores += c.User + c.System + c.SoftIRQ + c.IRQ
			}
			continue
		}
		processes = true
		check("both processes", c.User+c.System, least[0]+least[1], most[0]+most[1], 4)
		for _, th := range c.Threads {
			if th.Kind == "own" {
				threads[th.Host] += th.User + th.System
			}
		}
	}
	if !processes || len(threads) != 2 {
		t.Fatalf("no processes or threads: %+v", r.CPU)
	}
	check("threads of from", threads["a"], least[0], most[0], 2)
	check("threads of to", threads["b"], least[1], most[1], 2)
	check("all cores", cores, least[2], most[2], 5*n)
}
