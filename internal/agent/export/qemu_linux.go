package export

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"linerate/internal/base/failure"
)

// qemuDaemon is one qemu-storage-daemon, for all storage that this host has attached. It gets its commands on standard
// input by QMP, the protocol of QEMU's monitor, so that no command line has a secret.
type qemuDaemon struct {
	*child
	in      io.WriteCloser
	answers chan qmpAnswer
	version string
	socket  string // of its NBD server
	next    int

	mu    sync.Mutex
	using map[netip.AddrPort]int // connections that have to exist
}

// qmpAnswer is a line that the daemon prints (QEMU's docs/interop/qmp-spec): a greeting, an answer or an event.
type qmpAnswer struct {
	QMP *struct {
		Version struct {
			QEMU struct{ Major, Minor, Micro int }
		}
	}
	Return json.RawMessage
	Error  *struct{ Desc string }
}

// qemuDrivers are the paths of drivers that are files of their own, in Debian and other distributions.
const qemuDrivers = "/usr/lib*/*/qemu/block-%[1]s.so /usr/lib*/qemu*/block-%[1]s.so"

// qemuDriver is why this host has no driver of that name for qemu-storage-daemon. A driver that is built in has no
// file: where no driver has one, and this is not Debian, the driver counts as available.
func qemuDriver(name string) string {
	installed := func(name string) bool {
		return slices.ContainsFunc(strings.Fields(fmt.Sprintf(qemuDrivers, name)), func(pattern string) bool {
			files, _ := filepath.Glob(pattern)
			return len(files) > 0
		})
	}
	if _, err := os.Stat("/etc/debian_version"); installed(name) || err != nil && !installed("*") {
		return ""
	}
	return fmt.Sprintf("the %s driver of qemu-storage-daemon: not on this host (Debian: apt-get install "+
		"qemu-block-extra)", name)
}

func (s *State) startQEMU(ctx context.Context) (*qemuDaemon, error) {
	q := &qemuDaemon{answers: make(chan qmpAnswer, 16), using: map[netip.AddrPort]int{}}
	var out io.ReadCloser
	var err error
	q.child, err = s.start(nil, func(cmd *exec.Cmd) (err error) {
		if q.in, err = cmd.StdinPipe(); err == nil {
			out, err = cmd.StdoutPipe()
		}
		return err
	}, "qemu-storage-daemon", "--chardev", "stdio,id=monitor", "--monitor", "chardev=monitor")
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(q.answers)
		for s := bufio.NewScanner(out); s.Scan(); {
			var a qmpAnswer
			if json.Unmarshal(s.Bytes(), &a) == nil && (a.QMP != nil || a.Return != nil || a.Error != nil) {
				q.answers <- a
			}
		}
	}()
	a, err := q.answer(ctx)
	if err == nil && a.QMP != nil {
		v := a.QMP.Version.QEMU
		q.version = fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Micro)
		err = q.do(ctx, "qmp_capabilities", nil)
	}
	if err == nil {
		q.socket = filepath.Join(s.dir, fmt.Sprintf("nbd%d", q.cmd.Process.Pid))
		err = q.do(ctx, "nbd-server-start", map[string]any{"addr": map[string]any{"type": "unix",
			"data": map[string]any{"path": q.socket}}, "max-connections": 0})
	}
	if err != nil {
		q.kill()
		return nil, err
	}
	go q.watch()
	return q, nil
}

// answer waits for the next answer. Where none comes in time, the daemon is killed.
func (q *qemuDaemon) answer(ctx context.Context) (qmpAnswer, error) {
	timer := time.NewTimer(programLimit)
	defer timer.Stop()
	select {
	case a, ok := <-q.answers:
		if !ok {
			q.kill()
			return a, q.failed("it ended")
		}
		return a, nil
	case <-timer.C:
		q.kill()
		return qmpAnswer{}, q.failed("no answer within %v", programLimit)
	case <-ctx.Done():
		q.kill()
		return qmpAnswer{}, context.Cause(ctx)
	}
}

func (q *qemuDaemon) do(ctx context.Context, command string, arguments map[string]any) error {
	request := map[string]any{"execute": command}
	if arguments != nil {
		request["arguments"] = arguments
	}
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := q.in.Write(append(line, '\n')); err != nil {
		return q.failed("%v", err)
	}
	a, err := q.answer(ctx)
	if err != nil {
		return err
	}
	if a.Error != nil {
		return &failure.Error{Code: failure.CodeAddress, Subject: q.name, Text: a.Error.Desc}
	}
	return nil
}

// attachQEMU makes a file of storage by a driver of qemu-storage-daemon. A login that is refused is not tried again.
//
// The daemon could make the file itself, but version 7.2 mixes the data of concurrent writes (QEMU's patch "fuse: Copy
// write buffer content before polling" of 2025 corrects it). So it exports the unit to nbdfuse over a socket.
func (s *State) attachQEMU(ctx context.Context, e Export, driver map[string]any, what string) (a Attached,
	err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.qemu == nil || s.qemu.ended() {
		if s.qemu, err = s.startQEMU(ctx); err != nil {
			s.qemu = nil
			return a, err
		}
	}
	q := s.qemu
	q.next++
	node := fmt.Sprintf("node%d", q.next)
	if e.Secret != "" {
		secret := fmt.Sprintf("secret%d", q.next)
		if err := q.do(ctx, "object-add", map[string]any{"qom-type": "secret", "id": secret, "data": e.Secret}); err != nil {
			return a, err
		}
		driver["password-secret"] = secret
	}
	driver["node-name"] = node
	if err := q.do(ctx, "blockdev-add", driver); err != nil {
		if f, ok := err.(*failure.Error); ok && f.Code == failure.CodeAddress {
			f.Subject, f.Text = fmt.Sprintf("%s on %s", e.Name, e.At), f.Text+" (it was tried once)"
		}
		return a, err
	}
	if err := q.do(ctx, "block-export-add",
		map[string]any{"type": "nbd", "id": "export" + node, "node-name": node, "name": node, "writable": true}); err != nil {
		return a, err
	}
	a, err = s.attachNBD(ctx, "nbd+unix:///"+node+"?socket="+url.QueryEscape(q.socket), e)
	if err != nil {
		return a, err
	}
	a.Client = fmt.Sprintf("%s in qemu-storage-daemon %s, as a file by %s, in user space", what, q.version, a.Client)
	q.mu.Lock()
	q.using[e.At]++
	q.mu.Unlock()
	return a, nil
}

// connectionInterval is the time between two looks at the connections.
const connectionInterval = 250 * time.Millisecond

// watch kills the daemon when a connection to a server is gone: the daemon would connect again for ever while every
// request waits. When it is killed, the requests fail. There is one watch for all servers.
func (q *qemuDaemon) watch() {
	t := time.NewTicker(connectionInterval)
	defer t.Stop()
	var seen connections
	for gone := 0; gone < 2; { // a connection that is being made again has a moment
		select {
		case <-q.over:
			return
		case <-t.C:
		}
		q.mu.Lock()
		need := maps.Clone(q.using)
		q.mu.Unlock()
		if missing, err := seen.missing(need); err != nil || !missing {
			gone = 0
		} else {
			gone++
		}
	}
	q.kill()
}
