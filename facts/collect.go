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
// error is a context that ended, or a level that does not exist.
func Collect(ctx context.Context, level Level) ([]byte, error) {
	if level != Counters && level != Full {
		return nil, fmt.Errorf("facts: there is no level %q; the levels are %s and %s", level, Counters, Full)
	}
	// Everything below must see one namespace: the goroutine stays on its thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := &collector{ctx: ctx, head: header{os: runtime.GOOS, level: level, version: programVersion(), when: time.Now()}}
	if name, err := os.Hostname(); err == nil {
		c.head.host = name
	} else {
		c.unknown("host", err)
	}
	c.collect()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("facts: looking at this host: %w", err)
	}
	a := archive{Comment: c.head.text(), Files: c.files}
	return a.bytes(), nil
}

// read adds what get returns as a source, or why it could not be read. A panic in
// get costs this source only.
func (c *collector) read(name string, get func() ([]byte, error)) {
	if c.ctx.Err() != nil {
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
