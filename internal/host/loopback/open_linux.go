package loopback

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/base/xslices"
)

// Loop is two ports in their namespaces.
type Loop struct {
	Ports [2]Port
	Files [2]string // the namespaces, for child processes to enter
	// Gone is closed when the owner has ended. Before Close this happens only if someone kills it.
	Gone <-chan struct{}

	cmd   *exec.Cmd
	order io.WriteCloser
	last  said // valid when Gone is closed
}

// restoreTimeout bounds the wait for the owner's last line.
const restoreTimeout = time.Minute

// Open moves the ports that Look found, and waits until they reach each other. If it fails, the ports are restored.
// say, if not nil, is called with progress messages. The program must call OwnerMain for OwnerCommand.
func Open(ctx context.Context, ports [2]Port, say func(string)) (*Loop, error) {
	cmd := exec.Command("/proc/self/exe", OwnerCommand)
	cmd.Args[0] = "linerate"
	cmd.Dir, cmd.Stderr = "/", os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // the end of this program's terminal does not end the owner
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	gone := make(chan struct{})
	l := &Loop{Ports: ports, Gone: gone, cmd: cmd, order: in}
	ready := make(chan said, 1)
	go func() {
		defer close(gone)
		d := json.NewDecoder(bufio.NewReader(out))
		for {
			var s said
			if d.Decode(&s) != nil {
				break
			}
			switch {
			case s.Over:
				l.last = s
			case s.Text != "":
				if say != nil {
					say(s.Text)
				}
			default:
				ready <- s
			}
		}
		cmd.Wait()
	}()
	json.NewEncoder(in).Encode(order{ports}) // an owner that has died sends nothing, which is reported below
	var first said
	select {
	case first = <-ready:
	case <-ctx.Done():
		return nil, errors.Join(context.Cause(ctx), l.Close())
	case <-gone:
		select {
		case first = <-ready:
		default:
			first.Error = fmt.Sprintf("the process that holds the network namespaces has ended (%v)", cmd.ProcessState)
		}
	}
	if first.Error != "" || len(first.Files) != 2 {
		return nil, errors.Join(errors.New(first.Error), l.Close())
	}
	l.Files = [2]string(first.Files)
	return l, nil
}

// Close ends the namespaces and restores the ports. The error names what could not be restored. No process of this
// program may still be in the namespaces.
func (l *Loop) Close() error {
	l.order.Close()
	select {
	case <-l.Gone:
	case <-time.After(restoreTimeout):
		l.cmd.Process.Kill()
		<-l.Gone
	}
	var problems []string
	if l.last.Over {
		problems = l.last.Problems
	} else { // it was killed: the kernel returns adapters without their settings
		nl, err := netlink.NewHandle(unix.NETLINK_ROUTE)
		if err != nil {
			return fmt.Errorf("netlink: %w", err)
		}
		defer nl.Close()
		for _, p := range l.Ports {
			wait := comesBack
			if !p.NIC {
				wait = time.Second
			}
			problems = append(problems, restore(nl, p, wait)...)
		}
	}
	if len(problems) == 0 {
		return nil
	}
	errs := xslices.Map(problems, func(p string) error { return errors.New("not put back: " + p) })
	return errors.Join(errs...)
}
