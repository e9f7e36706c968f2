package watch

import (
	"context"
	"fmt"
	"sync"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// Worker is the part that one connection, pair or process has in an experiment.
type Worker struct {
	Name string // "connection 3", in errors
	Run  func(context.Context) error
}

// Carry runs workers, each on a goroutine of its own, next to a watch of this host and of tasks. interrupt makes calls
// of the workers return when ctx ends. The first failure ends all; subject is that of its error.
func Carry(ctx context.Context, x traffic.Execution, s traffic.Endpoint, subject string, tasks []*traffic.Flow,
	interrupt func(), workers []Worker) (Sight, error) {
	stop := context.AfterFunc(ctx, interrupt)
	defer stop()
	look := Start(x, OptionsOf(s), tasks)
	var working sync.WaitGroup
	for _, w := range workers {
		working.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					x.Fail(&failure.Error{Code: failure.CodeInternal, Subject: subject, Text: fmt.Sprintf("%s: %v", w.Name, r)})
				}
			}()
			if err := w.Run(ctx); err != nil {
				x.Fail(err)
			}
		})
	}
	working.Wait()
	seen := look.End()
	if err := context.Cause(ctx); err != nil && !traffic.IsOver(err) {
		return seen, failure.Of(subject, err)
	}
	return seen, nil
}

// Looking is a watch that is under way.
type Looking struct {
	x        traffic.Execution
	stop     context.CancelFunc
	watching sync.WaitGroup
	seen     Sight
}

// Start watches this host and tasks until the end of the interval, or until End.
func Start(x traffic.Execution, o Options, tasks []*traffic.Flow) *Looking {
	l := &Looking{x: x}
	ctx, stop := context.WithCancel(x.Watch)
	l.stop = stop
	l.watching.Go(func() { l.seen = watchHost(ctx, o, x.Interval, tasks, x.Emit) })
	return l
}

// End returns what was seen. A watch of an experiment that ended before its time ends with it.
func (l *Looking) End() Sight {
	if traffic.Now() < l.x.Interval.Close {
		l.stop()
	}
	l.watching.Wait()
	l.stop()
	return l.seen
}

// OptionsOf returns how the host of an end is watched meanwhile.
func OptionsOf(s traffic.Endpoint) Options {
	o := Options{Samples: s.Samples, SocketsOnly: s.SocketsOnly}
	if s.Layout != nil {
		o.Device = s.Layout.Device
	}
	return o
}
