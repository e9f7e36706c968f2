package collect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/snapshot"
)

// collector gathers a snapshot.
type collector struct {
	ctx   context.Context
	head  snapshot.Header
	files []snapshot.File
}

// Collect reads this host, in the network namespace of the calling thread, and returns a snapshot (Schema). It changes
// nothing, writes nothing and needs neither root nor a tool; what it cannot read becomes a line "unknown" of the
// header. The programs that it runs, where they are installed, are nft (list ruleset) and, where there are RDMA
// devices, ibv_devinfo: only a device's driver knows the MTU of its ports. The error is a context that ended, or a
// level that does not exist. The context is checked between sources: a driver that does not answer cannot be
// interrupted.
//
// substitutes is a folder of programs that print what hardware of a lab's host would (SourcesVariable); "" for a real
// machine.
func Collect(ctx context.Context, level facts.Level, substitutes string) ([]byte, error) {
	if level != facts.Counters && level != facts.Statistics && level != facts.Full {
		return nil, fmt.Errorf("facts: there is no level %q; the levels are %s, %s and %s", level, facts.Counters,
			facts.Statistics, facts.Full)
	}
	if level == facts.Statistics && (runtime.GOOS != "linux" || substitutes != "") {
		level = facts.Full
	}
	// Everything below must see one namespace: the goroutine must stay on its thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := &collector{ctx: context.WithValue(ctx, programsUntil{}, time.Now().Add(programsTime)),
		head: snapshot.Header{OS: runtime.GOOS, Level: level, Version: snapshot.ProgramVersion(), When: time.Now()}}
	from, timed := threadTime()
	if name, err := os.Hostname(); err == nil {
		c.head.Host = name
	} else {
		c.unknown("host", err)
	}
	c.collect()
	c.substitute(findSubstitutes(substitutes, level))
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("facts: looking at this host: %w", err)
	}
	if to, ok := threadTime(); ok && timed {
		c.head.Cost = unit.Known(to - from)
	}
	a := snapshot.Archive{Comment: c.head.Text(), Files: c.files}
	return a.Bytes(), nil
}

func (c *collector) unknown(subject string, err error) {
	c.head.Unknown = append(c.head.Unknown, facts.Unknown{Subject: subject, Reason: reason(err)})
}

// reason words why something could not be read.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the subject names the path
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENODEV):
		return "it is not there (" + err.Error() + ")"
	case errors.Is(err, fs.ErrPermission):
		return "this user may not read it (" + err.Error() + ")"
	case errors.Is(err, errors.ErrUnsupported):
		return "the driver does not offer it (" + err.Error() + ")"
	}
	return err.Error()
}

// read adds the result of get as a source, or the reason why it could not be read. A panic in get costs this source
// only.
func (c *collector) read(name string, get func() ([]byte, error)) {
	if c.ctx.Err() != nil {
		return
	}
	if err := announced(c.head.OS, name); err != nil {
		c.unknown(name, err)
		return
	}
	defer func() {
		if r := recover(); r != nil {
			c.unknown(name, fmt.Errorf("internal error while reading it: %v", r))
		}
	}()
	data, err := get()
	if err != nil {
		c.unknown(name, err)
		return
	}
	c.files = append(c.files, snapshot.File{Name: name, Data: data})
}
