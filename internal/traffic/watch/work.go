package watch

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/xslices"
	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts"
	"linerate/internal/traffic"
)

const (
	// mostThreads is the most rows of an end.
	mostThreads = 64
	// edgeShareOfWork is one over the share of a core that reading all tasks may take, at each edge.
	edgeShareOfWork = 400
	// leastWork and mostWork are its limits in nanoseconds of CPU time, mostPlan that of the list before the first byte.
	leastWork, mostWork, mostPlan = 2_000_000, 50_000_000, 100_000_000
)

// work is what the tasks of a host had used at one moment.
type work struct {
	at      int64
	own     map[int]facts.Task // threads of this process
	host    map[int]facts.Task // kernel threads and other processes
	listed  map[int]bool       // all that were there, read or not
	threads int                // of this process, read or not
	unread  int
	err     error
}

// workPlan is the order in which tasks are read: what receives packets first, then what had worked most until now.
type workPlan struct {
	proc  string
	order []int
	seen  map[int]bool
	exact map[int]bool // threads of the kernel that carry data: their time is read by the scheduler's clock
	err   error
	self  int
	child int   // a process whose threads count as this one's; 0: none
	took  int64 // nanoseconds of the list
	blind bool  // no thread of the kernel is visible
}

// planWork lists the tasks of this host once, before the first byte.
func planWork() *workPlan {
	if runtime.GOOS != "linux" {
		return &workPlan{err: fmt.Errorf("threads are not looked at on %s", runtime.GOOS)}
	}
	return planWorkAt("/proc", os.Getpid())
}

func planWorkAt(proc string, self int) *workPlan {
	p := &workPlan{proc: proc, seen: map[int]bool{}, exact: map[int]bool{}, self: self, blind: true}
	pids, err := numbers(proc)
	if err != nil {
		p.err = err
		return p
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadClock()
	end := began + mostPlan
	type known struct {
		facts.Task
		class int
	}
	var all []known
	for _, id := range pids {
		p.seen[id] = true
		t := known{class: 5}
		if threadClock() < end {
			if read, err := readTask(filepath.Join(proc, strconv.Itoa(id), "stat")); err == nil {
				t = known{read, classOf(read)}
			}
		}
		if t.Kernel {
			p.blind, p.exact[id] = false, t.class <= classWorker
		}
		t.ID = id
		all = append(all, t)
	}
	p.took = threadClock() - began
	slices.SortStableFunc(all, func(a, b known) int {
		return cmp.Or(a.class-b.class, cmp.Compare(b.User+b.System, a.User+a.System))
	})
	for _, t := range all {
		if t.ID != self {
			p.order = append(p.order, t.ID)
		}
	}
	return p
}

// lead returns how long before the interval the first reading begins, so that it is over by then.
func (p *workPlan) lead() int64 { return 2*min(p.took, mostWork) + leastWork }

// classWorker is that of the kernel's workers; those before it move packets.
const classWorker = 2

// classOf returns how likely it is that a task moves packets, 0 most.
func classOf(t facts.Task) int {
	switch {
	case !t.Kernel:
		return 4
	case strings.HasPrefix(t.Name, "ksoftirqd/"), strings.HasPrefix(t.Name, "napi/"):
		return 0
	case strings.HasPrefix(t.Name, "irq/"):
		return 1
	case strings.HasPrefix(t.Name, "kworker/"):
		return classWorker
	}
	return 3
}

// read reads all tasks: threads of this process first, those of connections before all others.
func (p *workPlan) read(w traffic.Interval, first []int) *work {
	k := &work{at: traffic.Now(), own: map[int]facts.Task{}, host: map[int]facts.Task{}, listed: map[int]bool{},
		err: p.err}
	if p.err != nil {
		return k
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	end := threadClock() + min(max((w.Close-w.Open)/edgeShareOfWork, leastWork), mostWork)
	take := func(into map[int]facts.Task, id int, path string, read func(string) (facts.Task, error)) {
		if threadClock() >= end {
			k.unread++
			return
		}
		if t, err := read(path); err == nil {
			into[id] = t
		}
	}
	own := filepath.Join(p.proc, strconv.Itoa(p.self), "task")
	threads, err := numbers(own)
	if err != nil {
		k.err = err
		return k
	}
	of := map[int]string{} // folders of threads that are the child's
	if p.child > 0 {
		theirs := filepath.Join(p.proc, strconv.Itoa(p.child), "task")
		others, _ := numbers(theirs) // it may be over
		for _, id := range others {
			of[id] = theirs
		}
		threads = append(others, threads...)
	}
	k.threads = len(threads)
	alive := xslices.Set(threads)
	for _, id := range append(slices.Clone(first), threads...) {
		if alive[id] && !k.listed[id] {
			k.listed[id] = true
			take(k.own, id, filepath.Join(cmp.Or(of[id], own), strconv.Itoa(id), "stat"), readThread)
		}
	}
	now, err := numbers(p.proc)
	if err != nil {
		k.err = err
		return k
	}
	there := make(map[int]bool, len(now))
	var order []int
	for _, id := range now {
		there[id] = true
		if !p.seen[id] && id != p.self {
			order = append(order, id) // new since the list was made
		}
	}
	for _, id := range append(p.order[:len(p.order):len(p.order)], order...) {
		if there[id] && id != p.child {
			k.listed[id] = true
			read := readTask
			if p.exact[id] { // many of them use less than a step of the other clock
				read = readThread
			}
			if !p.seen[id] {
				read = p.readNew
			}
			take(k.host, id, filepath.Join(p.proc, strconv.Itoa(id), "stat"), read)
		}
	}
	return k
}

// readNew reads a task that is not in the list: the kernel's workers come and go.
func (p *workPlan) readNew(path string) (facts.Task, error) {
	t, err := readTask(path)
	if err == nil && t.Kernel && classOf(t) <= classWorker {
		return readThread(path)
	}
	return t, err
}

// numbers returns the names in a folder that are numbers, ascending.
func numbers(dir string) ([]int, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, nil
}

func readTask(path string) (facts.Task, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return facts.Task{}, err
	}
	return linux.ParseTaskStat(text)
}

// readThread is readTask with the scheduler's clock, where the kernel has it: of a few threads the steps of 10 ms would
// lose some percent. Format: https://docs.kernel.org/scheduler/sched-stats.html, /proc/PID/schedstat, nanoseconds
// first.
func readThread(path string) (facts.Task, error) {
	t, err := readTask(path)
	if err != nil {
		return t, err
	}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "schedstat")); err == nil {
		first, _, _ := strings.Cut(string(text), " ")
		if ns, err := strconv.ParseUint(first, 10, 63); err == nil {
			t.Runtime = float64(ns) / 1e9
		}
	}
	return t, nil
}
