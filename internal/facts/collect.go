package facts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"linerate/internal/base/unit"
)

// collector gathers a capture.
type collector struct {
	ctx   context.Context
	head  header
	files []file
}

// Collect looks at this host, in the network namespace of the calling thread, and
// returns a capture (Schema). It changes nothing, writes nothing and needs neither
// root nor a tool; what it cannot read becomes a line "unknown" of the header. The
// programs that it asks, where they are installed, are nft (list ruleset) and, where
// there are RDMA devices, ibv_devinfo: only a device's driver knows the MTU of its ports. The error is a
// context that ended, or a level that does not exist. The context is looked at
// between sources: a driver that does not answer cannot be interrupted.
func Collect(ctx context.Context, level Level) ([]byte, error) {
	if level != Counters && level != Statistics && level != Full {
		return nil, fmt.Errorf("facts: there is no level %q; the levels are %s, %s and %s", level, Counters, Statistics, Full)
	}
	if level == Statistics && (runtime.GOOS != "linux" || os.Getenv(SourcesVariable) != "") {
		level = Full
	}
	// Everything below must see one namespace: the goroutine stays on its thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := &collector{ctx: context.WithValue(ctx, programsUntil{}, time.Now().Add(programsTime)), head: header{os: runtime.GOOS, level: level, version: programVersion(), when: time.Now()}}
	from, timed := threadTime()
	if name, err := os.Hostname(); err == nil {
		c.head.host = name
	} else {
		c.unknown("host", err)
	}
	c.collect()
	c.standIn(findStandIns(os.Getenv(SourcesVariable), level))
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("facts: looking at this host: %w", err)
	}
	if to, ok := threadTime(); ok && timed {
		c.head.cost = unit.Known(to - from)
	}
	a := archive{Comment: c.head.text(), Files: c.files}
	return a.bytes(), nil
}

func (c *collector) unknown(subject string, err error) {
	c.head.unknown = append(c.head.unknown, Unknown{subject, reason(err)})
}

// reason says in words why something could not be read.
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

// programVersion is the version of the program that was built, by Go's own record.
func programVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// read adds what get returns as a source, or why it could not be read. A panic in
// get costs this source only.
func (c *collector) read(name string, get func() ([]byte, error)) {
	if c.ctx.Err() != nil {
		return
	}
	if err := announced(c.head.os, name); err != nil {
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
	c.files = append(c.files, file{name, data})
}
