package remote

import (
	"math"
	"strings"
	"testing"

	"linerate/internal/record"
)

func share(v float64) *float64 { return &v }

// machineRows are the rows of two ends on one machine: the sender on core 0, the receiver on core 1.
func machineRows(ownA0, ownB0, ksoftirqd float64) []record.CPU {
	return []record.CPU{
		{Host: "a", Core: 0, User: 0.02, System: 0.5, SoftIRQ: 0.4, Own: share(ownA0), Packets: share(1000)},
		{Host: "a", Core: 1, System: 0.6, Idle: 0.4, Own: share(0)},
		{Host: "b", Core: 0, User: 0.02, System: 0.5, SoftIRQ: 0.4, Own: share(ownB0), Packets: share(1000)},
		{Host: "b", Core: 1, System: 0.6, Idle: 0.4, Own: share(0.6)},
		{Host: "a+b", Core: -1, System: 1.5, Threads: []record.Thread{
			{Kind: record.OwnThread, Host: "a", Name: "send 0", System: ownA0},
			{Kind: record.KernelThread, Name: "ksoftirqd/0", System: ksoftirqd},
			{Kind: record.KernelThread, Name: "ksoftirqd/1", Core: 1, System: 0.001}}},
	}
}

func TestSoftIRQPlacements(t *testing.T) {
	for name, c := range map[string]struct {
		rows []record.CPU
		want string
	}{
		"in the sender's calls": {machineRows(0.9, 0.01, 0), "core 0: softirq 40 %, 1000 packets/s, all of it in the " +
			"system calls of a, whose threads had 90 % of this core"},
		"some in ksoftirqd": {machineRows(0.7, 0, 0.2), "50 % of it in ksoftirqd/0; the rest in the system calls of a"},
		"all in ksoftirqd":  {machineRows(0.4, 0, 0.4), "100 % of it in ksoftirqd/0"},
		"shared":            {machineRows(0.5, 0.4, 0), "on top of whoever had this core: a 50 %, b 40 %"},
		"of nobody":         {machineRows(0, 0, 0), "on top of whoever had this core: others 92 %"},
	} {
		got := softIRQPlacements(c.rows)
		if len(got) != 1 || !strings.Contains(got[0].Text, c.want) || got[0].Host != "a+b" || got[0].Packets != 1000 {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
	// A separate host; the cores of its threads are not known.
	rows := []record.CPU{
		{Host: "n1", Core: -1, System: 1},
		{Host: "n1", Core: 3, SoftIRQ: 0.8},
		{Host: "n1", Core: 4, SoftIRQ: 0.005},
	}
	got := softIRQPlacements(rows)
	if len(got) != 1 || !strings.Contains(got[0].Text, "is not known") || len(got[0].Ran) != 0 ||
		got[0].Ran == nil {
		t.Errorf("%+v", got)
	}
	if softIRQPlacements(nil) != nil {
		t.Error("placements of nothing")
	}
}

func TestPerCPU(t *testing.T) {
	p := goodputPerCPU(30e9, machineRows(0.9, 0, 0))
	// Both ends are on one machine: its cores count once, 0.92 and 0.6.
	if p == nil || *p.Processes != 20e9 || math.Abs(*p.Hosts-30e9/1.52) > 1 {
		t.Errorf("%+v", p)
	}
	p = goodputPerCPU(
		10e9,
		[]record.CPU{
			{Host: "a", Core: -1, System: 0.5},
			{Host: "a", Core: 0, System: 1},
			{Host: "b", Core: -1, System: 0.5},
		},
	)
	if p == nil || *p.Processes != 10e9 || p.Hosts != nil {
		t.Errorf("the cores of one host are not known: %+v", p)
	}
	if goodputPerCPU(0, machineRows(1, 0, 0)) != nil || goodputPerCPU(1e9, nil) != nil {
		t.Error("a figure of nothing")
	}
}

func TestThreadsOfRepeats(t *testing.T) {
	row := func(threads ...record.Thread) record.CPU { return record.CPU{Host: "a", Core: -1, Threads: threads} }
	send := record.Thread{Kind: record.OwnThread, Host: "a", Name: "send 0", Count: 1, System: 0.5}
	more, kernel := send, record.Thread{Kind: record.KernelThread, Name: "ksoftirqd/0", Count: 1, System: 0.3}
	more.System, more.Count = 0.7, 2
	got := medianThreads([]record.CPU{row(send), row(more, kernel), row(more), row()})
	if len(got) != 1 || got[0].System != 0.7 || got[0].Count != 2 {
		t.Errorf("%+v; want one thread of 0.7, as ksoftirqd worked in one of three repeats and one does not say", got)
	}
	cpu := medianCPU(
		[]record.Repeat{
			{CPU: machineRows(0.9, 0, 0.1)},
			{CPU: machineRows(0.8, 0, 0.1)},
			{CPU: machineRows(0.7, 0, 0.1)},
		},
	)
	if len(cpu) != 5 || *cpu[0].Own != 0.8 || len(cpu[4].Threads) != 3 || cpu[1].Packets != nil {
		t.Errorf("%+v", cpu)
	}
}

func TestClockNoise(t *testing.T) {
	n := int64(4)
	core := func(i int, busy, before, after, base float64) record.CPU {
		return record.CPU{Host: "a", Core: i, System: busy, HzBefore: share(before), Hz: share(after), BaseHz: share(base)}
	}
	for name, c := range map[string]struct {
		row  record.CPU
		want string
	}{
		"steady":            {core(0, 1, 3e9, 3e9, 3e9), ""},
		"a little":          {core(0, 1, 3e9, 2.8e9, 3e9), ""},
		"changed":           {core(0, 1, 3e9, 2e9, 3e9), "changed in the interval: core 0 from 3.00 GHz to 2.00 GHz"},
		"low":               {core(2, 1, 1.2e9, 1.2e9, 3e9), "low: core 2 at 1.20 GHz of 3.00 GHz"},
		"an idle core":      {core(0, 0.1, 3e9, 1e9, 3e9), ""},
		"not known":         {record.CPU{Core: 0, System: 1}, ""},
		"heat":              {record.CPU{Core: 0, Throttled: &n}, "heat slowed 1 core down (throttled 4 times)"},
		"the process's row": {record.CPU{Core: -1, Throttled: &n, System: 1}, ""},
	} {
		got := strings.Join(clockNoise([]record.CPU{c.row}), "; ")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := Few([]string{"a", "b", "c", "d", "e"}, 3); got != "a, b, c and 2 more" {
		t.Error(got)
	}
}
