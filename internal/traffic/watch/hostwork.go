package watch

import (
	"context"
	"os"

	"linerate/internal/record"
	"linerate/internal/traffic"
)

// HostWork returns the kernel's threads and the processes that worked on this machine between two stamps of this
// process's clock, for a controller whose agents are in a PID namespace and cannot see them. Processes of this
// program's name, which are the agents, are left out; this one is called the controller. Nil when the interval was not
// reached or nothing could be read. With early the end of ctx is the second stamp if it comes first.
func HostWork(ctx context.Context, open, close int64, early bool) *traffic.Work {
	plan := planWork()
	if plan.err != nil || plan.blind || !traffic.SleepUntil(ctx, open-plan.lead()) {
		return nil
	}
	w := traffic.Interval{Open: open, Close: close}
	before := plan.read(w, nil)
	if !traffic.SleepUntil(ctx, close) && !early {
		return nil
	}
	after := plan.read(w, nil)
	all, _, _ := workBetween(before, after, false, nil)
	own := ""
	if t, err := readTask("/proc/self/stat"); err == nil {
		own = t.Name
	}
	out := &traffic.Work{Rest: all.Rest, Ended: all.Ended, Unread: all.Unread}
	controller := record.Thread{Kind: record.OtherProcess, Name: "the controller", ID: os.Getpid(), Core: -1, Count: 1}
	for _, t := range all.Threads {
		switch {
		case t.Kind == record.OwnThread:
			controller.User, controller.System = controller.User+t.User, controller.System+t.System
		case t.Kind == record.KernelThread || t.Name != own:
			out.Threads = append(out.Threads, t)
		}
	}
	if controller.User+controller.System > 0 {
		out.Threads = append(out.Threads, controller)
	}
	return out
}
