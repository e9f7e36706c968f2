package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// tries runs a measuring assertion up to three times: other work on the machine may disturb it. A try in which a
// hypervisor took processor time away does not count; figures of which every try was such a one are not judged at all,
// and the test says so: what a machine does with a part of its processors says nothing about the program.
func tries(t *testing.T, f func() error) {
	t.Helper()
	var err error
	quiet := 0
	for n := 0; quiet < 3 && n < 5; n++ {
		before := stolen()
		if err = f(); err == nil {
			return
		}
		share := before.share(stolen())
		t.Logf("try %d: %v", n+1, err)
		if share <= 0.02 {
			quiet++
			continue
		}
		t.Logf("a hypervisor had %.0f %% of the processors' time meanwhile", 100*share)
		if share > 0.1 && quiet == 0 && disturbed.Add(1) >= 6 {
			break // of all tests together: the machine will not become quiet in the time that they have
		}
		time.Sleep(5 * time.Second)
	}
	if quiet == 0 && !t.Failed() {
		fmt.Fprintf(os.Stderr, "%s: figures not judged, a hypervisor took processor time in every try; the last one: %v\n", t.Name(), err)
		t.Skipf("figures not judged: a hypervisor took processor time in every try: %v", err)
	}
	t.Error(err)
}

// disturbed counts the tries of all tests that a hypervisor disturbed.
var disturbed atomic.Int32

// steal is what a hypervisor has taken from this machine's processors, of all their time, in ticks.
type steal struct{ taken, all float64 }

// stolen is zero where the system does not say.
func stolen() (s steal) {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	for i, f := range strings.Fields(line) {
		// cpu user nice system idle iowait irq softirq steal; what follows is in user and nice already
		if v, err := strconv.ParseFloat(f, 64); err == nil && i <= 8 {
			s.all += v
			if i == 8 {
				s.taken = v
			}
		}
	}
	return s
}

func (s steal) share(later steal) float64 {
	return (later.taken - s.taken) / max(1, later.all-s.all)
}
