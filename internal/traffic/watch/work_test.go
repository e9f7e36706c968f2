package watch

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/traffic"
	"linerate/internal/traffic/traffictest"
)

// fakeProc is a /proc that the test writes.
type fakeProc struct {
	t   *testing.T
	dir string
}

// put writes a task: its name, flags, times in units of 10 ms, start and core.
func (p fakeProc) put(path, name string, flags uint64, user, system, start, core int) {
	p.t.Helper()
	file := filepath.Join(p.dir, path, "stat")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		p.t.Fatal(err)
	}
	text := fmt.Sprintf("%s (%s) S 2 0 0 0 -1 %d 0 0 0 0 %d %d 0 0 20 0 1 0 %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 %d "+
		"0 0\n", filepath.Base(path), name, flags, user, system, start, core)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p fakeProc) gone(path string) {
	if err := os.RemoveAll(filepath.Join(p.dir, path)); err != nil {
		p.t.Fatal(err)
	}
}

func TestWork(t *testing.T) {
	p := fakeProc{t, t.TempDir()}
	const kernel = 0x00200000
	p.put("14", "ksoftirqd/0", kernel, 0, 1000, 18, 0)
	p.put("30", "kworker/0:1-events", kernel, 0, 50, 20, 0)
	p.put("31", "kworker/0:2H-kblockd", kernel, 0, 50, 21, 0)
	p.put("32", "rcu_preempt", kernel, 0, 5, 21, 1)
	p.put("100", "linerate", 0, 10, 10, 500, 0) // this process
	p.put("100/task/100", "linerate", 0, 5, 5, 500, 0)
	p.put("100/task/101", "send 0", 0, 5, 5, 501, 1)
	p.put("100/task/102", "send 1", 0, 5, 5, 502, 1)
	p.put("200", "compiler", 0, 900, 100, 600, 1)
	p.put("201", "reused", 0, 900, 100, 600, 1)
	p.put("202", "ends", 0, 1, 1, 600, 1)
	plan := planWorkAt(p.dir, 100)
	if plan.err != nil || plan.blind || plan.order[0] != 14 || len(plan.order) != 7 {
		t.Fatalf("%+v", plan)
	}
	w := traffic.Interval{Open: 0, Close: 1e9}
	a := plan.read(w, []int{102})
	a.at = 0
	looks := newLooks(a)

	p.put("14", "ksoftirqd/0", kernel, 0, 1040, 18, 0)
	p.put("30", "kworker/0:1-mm", kernel, 0, 51, 20, 0)
	p.put("31", "kworker/0:2H-kblockd", kernel, 0, 52, 21, 0)
	p.put("33", "kworker/u4:0-flush", kernel, 0, 3, 900, 1) // born in the interval
	p.put("100/task/101", "send 0", 0, 10, 65, 501, 0)
	p.put("100/task/103", "linerate", 0, 1, 0, 901, 0) // born in the interval
	p.gone("100/task/102")
	p.put("200", "compiler", 0, 925, 100, 600, 1)
	p.put("201", "reused", 0, 7, 0, 905, 1) // another process of that number
	p.gone("202")
	looks.saw(101, facts.Task{ID: 101, User: 0.05, System: 0.25, Start: 501, Core: 1}) // 0.2 s on core 1 in between
	b := plan.read(w, nil)
	b.at = 1e9
	got, own, unknown := workBetween(a, b, plan.blind, looks)
	if len(unknown) != 0 {
		t.Errorf("not known: %v", unknown)
	}
	want := map[string]record.Thread{
		"own send 0":         {User: 0.05, System: 0.6, ID: 101, Core: 0, Count: 1},
		"own linerate":       {User: 0.01, ID: 103, Count: 1},
		"kernel ksoftirqd/0": {System: 0.4, ID: 14, Count: 1},
		"kernel kworker/0":   {System: 0.03, ID: 31, Count: 2},
		"kernel kworker/u4":  {System: 0.03, ID: 33, Core: 1, Count: 1},
		"other compiler":     {User: 0.25, ID: 200, Core: 1, Count: 1},
		"other reused":       {User: 0.07, ID: 201, Core: 1, Count: 1},
	}
	for _, th := range got.Threads {
		x, ok := want[th.Kind+" "+th.Name]
		if !ok || math.Abs(x.User-th.User) > 1e-9 || math.Abs(x.System-th.System) > 1e-9 || x.ID != th.ID ||
			x.Core != th.Core || x.Count != th.Count {
			t.Errorf("%+v, want %+v", th, x)
		}
		delete(want, th.Kind+" "+th.Name)
	}
	if len(want) > 0 || got.Threads[0].Name != "send 0" {
		t.Errorf("missing: %v; first %v", want, got.Threads[0])
	}
	// One thread and one process ended, and one was another one.
	if got.Ended != 3 || got.Unread != 0 {
		t.Errorf("%d ended, %d not read", got.Ended, got.Unread)
	}
	if math.Abs(own[1]-0.2) > 1e-9 || math.Abs(own[0]-0.46) > 1e-9 {
		t.Errorf("own by core: %v; want 0.2 on core 1 and 0.46 on core 0", own)
	}
}

// Where the scheduler's clock is known, a thread's time is that.
func TestThreadsExactly(t *testing.T) {
	p := fakeProc{t, t.TempDir()}
	p.put("9/task/9", "send 0", 0, 1, 1, 1, 0)
	p.put("9/task/10", "send 1", 0, 1, 1, 1, 0)
	clock := func(thread, text string) {
		if err := os.WriteFile(filepath.Join(p.dir, "9/task", thread, "schedstat"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	clock("9", "20000000 5 7\n")
	clock("10", "damaged\n")
	plan := planWorkAt(p.dir, 9)
	a := plan.read(traffic.Interval{Close: 1e9}, nil)
	p.put("9/task/9", "send 0", 0, 2, 4, 1, 0)
	p.put("9/task/10", "send 1", 0, 2, 4, 1, 0)
	clock("9", "68000000 5 7\n")
	b := plan.read(traffic.Interval{Close: 1e9}, nil)
	a.at, b.at = 0, 1e9
	got, _, _ := workBetween(a, b, false, nil)
	if len(got.Threads) != 2 || math.Abs(got.Threads[0].User-0.012) > 1e-9 ||
		math.Abs(got.Threads[0].System-0.036) > 1e-9 || got.Threads[1].System != 0.03 {
		t.Errorf("%+v; want 12 and 36 ms of the first, whose steps are 1 and 3, and 10 and 30 ms of the second", got.Threads)
	}
	if u, s := exact(0, 0, 0.004, true); u != 0 || s != 0.004 {
		t.Errorf("less than a step: %v %v", u, s)
	}
	if u, s := exact(-1, 0.5, -0.5, true); u != 0 || s != 0.5 {
		t.Errorf("a clock that went back: %v %v", u, s)
	}
}

// A worker of the kernel that came after the tasks were listed is read by the scheduler's clock, too; a process is not,
// because its file is of its first thread alone.
func TestNewWorkerExactly(t *testing.T) {
	const kernel = 0x00200000
	p := fakeProc{t, t.TempDir()}
	p.put("9", "linerate", 0, 1, 1, 1, 0)
	p.put("9/task/9", "linerate", 0, 1, 1, 1, 0)
	plan := planWorkAt(p.dir, 9)
	for id, name := range map[string]string{"20": "kworker/u4:3", "21": "server"} {
		flags := uint64(0)
		if id == "20" {
			flags = kernel
		}
		p.put(id, name, flags, 0, 0, 5, 0)
		if err := os.WriteFile(filepath.Join(p.dir, id, "schedstat"), []byte("4000000 5 7\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k := plan.read(traffic.Interval{Close: 1e9}, nil)
	if k.host[20].Runtime != 0.004 || k.host[21].Runtime != 0 {
		t.Errorf("%+v", k.host)
	}
}

// A watch that is given a list of tasks makes none of its own.
func TestTasksListedBefore(t *testing.T) { traffictest.Bubble(t, tasksListedBefore) }

func tasksListedBefore(t *testing.T) {
	const why = "listed beforehand"
	o := IntervalOptions{Warmup: time.Millisecond, Interval: 10 * time.Millisecond,
		Tasks: &HostTasks{&workPlan{err: errors.New(why)}}}
	out := During(t.Context(), traffic.Now(), o, func([]traffic.Sample) {})
	if !slices.ContainsFunc(out.Unknown, func(u record.Unknown) bool {
		return u.Subject == "threads" &&
			u.Reason == why
	}) {
		t.Errorf("%+v", out.Unknown)
	}
}

// What could not be read is unknown, not zero.
func TestWorkUnknown(t *testing.T) {
	p := fakeProc{t, t.TempDir()}
	p.put("1", "init", 0, 1, 1, 1, 0)
	p.put("9", "linerate", 0, 1, 1, 1, 0)
	p.put("9/task/9", "linerate", 0, 1, 1, 1, 0)
	plan := planWorkAt(p.dir, 9)
	a := plan.read(traffic.Interval{Close: 1e9}, nil)
	b := plan.read(traffic.Interval{Close: 1e9}, nil)
	b.at = a.at + 1e9
	if _, _, unknown := workBetween(a, b, plan.blind, nil); len(unknown) != 1 ||
		unknown[0].Subject != "kernel threads" || !strings.Contains(unknown[0].Reason, "PID namespace") {
		t.Errorf("a namespace of its own: %v", unknown)
	}
	b.unread = 12
	b.threads = 3
	got, own, unknown := workBetween(a, b, false, nil)
	if len(unknown) != 1 || !strings.Contains(unknown[0].Reason, "12 threads") || own != nil || got.Unread != 12 {
		t.Errorf("not all read: %v, %v", got, unknown)
	}
	for name, c := range map[string][2]*work{"none": {nil, nil}, "one": {a, nil}, "no time": {a, a},
		"error": {planWorkAt("/none", 1).read(traffic.Interval{}, nil), b}} {
		if got, _, unknown := workBetween(c[0], c[1], false, nil); len(unknown) != 1 || unknown[0].Subject != "threads" ||
			len(got.Threads) > 0 {
			t.Errorf("%s: %v %v", name, got, unknown)
		}
	}
	// A task that was not read at the beginning has no figure, instead of all that it used since its start.
	delete(a.host, 1)
	p.put("1", "init", 0, 1000, 1, 1, 0)
	b = plan.read(traffic.Interval{Close: 1e9}, nil)
	b.at = a.at + 1e9
	if got, _, _ := workBetween(a, b, false, nil); len(got.Threads) != 0 {
		t.Errorf("a process that was not read at the opening: %+v", got.Threads)
	}
}

// No more time is spent than allowed, and what moves packets is read first.
func TestWorkManyTasks(t *testing.T) {
	p := fakeProc{t, t.TempDir()}
	p.put("3000/task/3000", "linerate", 0, 1, 1, 1, 0)
	for i := 1; i <= 600; i++ {
		name, flags := fmt.Sprintf("p%d", i), uint64(0)
		if i%2 == 0 {
			name, flags = fmt.Sprintf("ksoftirqd/%d", i), 0x00200000
		}
		p.put(fmt.Sprint(i), name, flags, i, 0, 1, i%64)
	}
	plan := planWorkAt(p.dir, 3000)
	for i, id := range plan.order {
		if (i < 300) != (id%2 == 0) {
			t.Fatalf("place %d has %d", i, id)
		}
	}
	if plan.order[0] != 600 || plan.order[300] != 599 {
		t.Errorf("the busiest are not first: %v", plan.order[:3])
	}
	k := plan.read(traffic.Interval{Close: 1e6}, nil) // 2 ms at most
	if k.unread+len(k.host)+len(k.own) != 601 {
		t.Errorf("%d read, %d not, of 601", len(k.host)+len(k.own), k.unread)
	}
	for id := range k.host {
		if id%2 == 1 && k.unread > 0 && len(k.host) <= 300 {
			t.Errorf("%d was read before those that receive", id)
		}
	}
}
