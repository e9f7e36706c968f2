package run

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"linerate/facts"
	"linerate/measure"
)

// schedstat is the processor time of a process by the scheduler's own clock: the first number of every thread's
// /proc/PID/task/TID/schedstat, nanoseconds (https://docs.kernel.org/scheduler/sched-stats.html).
func schedstat(t *testing.T, pid int) float64 {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/task", pid)
	threads, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, th := range threads {
		text, err := os.ReadFile(dir + "/" + th.Name() + "/schedstat")
		if err != nil {
			continue // it has ended; what it used is small, and shows as a difference
		}
		ns, err := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += ns / 1e9
	}
	return sum
}

// stamped is a reading of everything at one moment.
type stamped struct {
	at      int64
	process [2]float64
	cores   []facts.CoreTime
}

// near is the reading nearest to a stamp.
func near(all []stamped, at int64) stamped {
	best := all[0]
	for _, r := range all {
		if abs(r.at-at) < abs(best.at-at) {
			best = r
		}
	}
	return best
}

func abs(v int64) int64 { return max(v, -v) }

// TestProcessorTruth: the processor time that a repeat reports, of both ends' processes and of every core, is within 5 %
// of what the operating system's own accounts say of the same window, read by this process beside the measurement: the
// scheduler's clock of every thread, and /proc/stat.
func TestProcessorTruth(t *testing.T) {
	if text, err := os.ReadFile("/proc/self/schedstat"); err != nil || strings.HasPrefix(string(text), "0 0 0") {
		t.Skip("this kernel keeps no schedstat of tasks")
	}
	from, to := twoAgents(t)
	pids := [2]int{from.Hello().PID, to.Hello().PID}
	s := loopback("stream", measure.Out, 2)
	s.Window, s.Warmup = 2*time.Second, 200*time.Millisecond
	const tries = 3
	for try := 1; ; try++ {
		stop, done := make(chan struct{}), make(chan []stamped)
		go func() {
			var all []stamped
			for {
				select {
				case <-stop:
					done <- all
					return
				case <-time.After(5 * time.Millisecond):
				}
				r := stamped{at: measure.Now()}
				for i, pid := range pids {
					r.process[i] = schedstat(t, pid)
				}
				if text, err := os.ReadFile("/proc/stat"); err == nil {
					r.cores, _ = facts.ParseStat(text)
				}
				r.at = (r.at + measure.Now()) / 2
				all = append(all, r)
			}
		}()
		offset := measure.Now() - time.Now().UnixNano()
		r, _, err := repeat(t, from, to, s, nil)
		close(stop)
		all := <-done
		if err != nil {
			t.Fatal(err)
		}
		open := r.Start.UnixNano() + offset
		a, b := near(all, open), near(all, open+int64(s.Window))
		seconds := float64(b.at-a.at) / 1e9
		// A reading that came late says nothing: this process had to wait for its turn.
		usable := abs(a.at-open) < 30e6 && abs(b.at-open-int64(s.Window)) < 30e6
		wrong := ""
		check := func(name string, reported, told float64) {
			difference := math.Abs(reported-told) / told
			t.Logf("%s: reported %.4f cores, the system says %.4f: %.2f %%", name, reported, told, difference*100)
			if difference > 0.05 {
				wrong += fmt.Sprintf("%s: reported %.4f cores, the system says %.4f; ", name, reported, told)
			}
		}
		told := [2]float64{(b.process[0] - a.process[0]) / seconds, (b.process[1] - a.process[1]) / seconds}
		threads := map[string]float64{}
		for _, c := range r.CPU {
			if c.Core < 0 {
				check("both processes", c.User+c.System, told[0]+told[1])
				for _, th := range c.Threads {
					if th.Kind == "own" {
						threads[th.Host] += th.User + th.System
					}
				}
				check("threads of from", threads["a"], told[0])
				check("threads of to", threads["b"], told[1])
			}
		}
		reported, system := 0.0, 0.0
		for _, c := range r.CPU {
			if c.Host != "a" || c.Core < 0 {
				continue
			}
			reported += c.User + c.System + c.SoftIRQ + c.IRQ
		}
		before := map[int]facts.CoreTime{}
		for _, c := range a.cores {
			before[c.Core] = c
		}
		for _, c := range b.cores {
			x := before[c.Core]
			system += (c.User + c.Nice + c.System + c.SoftIRQ + c.IRQ - x.User - x.Nice - x.System - x.SoftIRQ - x.IRQ) / seconds
		}
		check("all cores", reported, system)
		if wrong == "" && usable {
			return
		}
		if try == tries {
			if !usable {
				t.Skip("this machine is too busy to read its accounts at the edges of a window")
			}
			t.Fatal(wrong)
		}
	}
}
