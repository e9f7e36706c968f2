package collect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/facts"
)

// freebsdTimeout bounds the run time of a program.
const freebsdTimeout = 5 * time.Second

// rest runs the programs of FreeBSD's base system.
func (c *collector) rest() {
	var uts unix.Utsname
	if err := unix.Uname(&uts); err == nil {
		c.head.Kernel = unix.ByteSliceToString(uts.Release[:])
	}
	from := freebsdAsked{file: os.ReadFile,
		run: func(argv ...string) ([]byte, error) { return askFreeBSD(c.ctx, argv...) }}
	all, err := net.Interfaces()
	if err != nil {
		c.unknown("interfaces", err)
	}
	for _, n := range all {
		from.interfaces = append(from.interfaces, n.Name)
	}
	c.freebsd(from)
}

// askFreeBSD runs a program of the base system, or of ZFS.
func askFreeBSD(ctx context.Context, argv ...string) ([]byte, error) {
	program := ""
	for _, dir := range []string{"/sbin/", "/usr/sbin/", "/usr/bin/", "/bin/", "/usr/local/sbin/"} {
		if path, err := exec.LookPath(dir + argv[0]); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		return nil, fmt.Errorf("the program %s is not here", argv[0])
	}
	ctx, cancel := context.WithTimeoutCause(ctx, freebsdTimeout, fmt.Errorf("no answer within %v", freebsdTimeout))
	defer cancel()
	out, said := &limited{max: commandMax}, &limited{max: 4096}
	cmd := exec.CommandContext(ctx, program, argv[1:]...)
	cmd.Env = []string{"LC_ALL=C", "PATH=/sbin:/bin:/usr/sbin:/usr/bin"}
	cmd.Stdout, cmd.Stderr = out, said
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case out.full:
		return nil, fmt.Errorf("it wrote more than %d MiB", commandMax>>20)
	case err != nil && said.Len() > 0:
		return nil, errors.New(facts.OneLine(said.String()))
	case err != nil && out.Len() == 0:
		return nil, err
	}
	return out.Bytes(), nil
}
