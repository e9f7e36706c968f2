package agent

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
	"strings"
	"sync"
	"time"

	"linerate/internal/traffic"
)

// qemuStorage is one qemu-storage-daemon, for all storage that this host attached: it is told what to do on its standard input by QMP, the protocol of QEMU's
// monitor, so that no secret stands in a command line.
type qemuStorage struct {
	*child
	in      io.WriteCloser
	answers chan qmpAnswer
	version string
	socket  string // of its NBD server
	next    int

	mu    sync.Mutex
	using map[netip.AddrPort]int // connections that there have to be
}

// qmpAnswer is a line that it says (QEMU's docs/interop/qmp-spec): a greeting, an answer, or an event.
type qmpAnswer struct {
	QMP *struct {
		Version struct {
			QEMU struct{ Major, Minor, Micro int }
		}
	}
	Return json.RawMessage
	Error  *struct{ Desc string }
}

// qemuDrivers are where Debian and others put the drivers that are files of their own.
const qemuDrivers = "/usr/lib*/*/qemu/block-%[1]s.so /usr/lib*/qemu*/block-%[1]s.so"

// qemuDriver says what is lacking where a driver of qemu-storage-daemon is not there. One that is built in has no file, and is tried.
func qemuDriver(name string) string {
	any := false
	for _, pattern := range strings.Fields(fmt.Sprintf(qemuDrivers, "*")) {
		files, _ := filepath.Glob(pattern)
		any = any || len(files) > 0
	}
	for _, pattern := range strings.Fields(fmt.Sprintf(qemuDrivers, name)) {
		if files, _ := filepath.Glob(pattern); len(files) > 0 {
			return ""
		}
	}
	if _, err := os.Stat("/etc/debian_version"); !any && err != nil {
		return ""
	}
	return fmt.Sprintf("the %s driver of qemu-storage-daemon: not on this host (Debian: apt-get install qemu-block-extra)", name)
}

func (t *storageState) startQEMU(ctx context.Context) (*qemuStorage, error) {
	q := &qemuStorage{answers: make(chan qmpAnswer, 16), using: map[netip.AddrPort]int{}}
	var out io.ReadCloser
	var err error
	q.child, err = t.start(nil, func(cmd *exec.Cmd) (err error) {
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
		q.socket = filepath.Join(t.dir, fmt.Sprintf("nbd%d", q.cmd.Process.Pid))
		err = q.do(ctx, "nbd-server-start", map[string]any{"addr": map[string]any{"type": "unix", "data": map[string]any{"path": q.socket}}, "max-connections": 0})
	}
	if err != nil {
		q.kill()
		return nil, err
	}
	go q.watch()
	return q, nil
}

// answer waits for the next one; without one in time the program is of no use any more.
func (q *qemuStorage) answer(ctx context.Context) (qmpAnswer, error) {
	timer := time.NewTimer(programMoment)
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
		return qmpAnswer{}, q.failed("no answer within %v", programMoment)
	case <-ctx.Done():
		q.kill()
		return qmpAnswer{}, context.Cause(ctx)
	}
}

func (q *qemuStorage) do(ctx context.Context, command string, arguments map[string]any) error {
	line, err := json.Marshal(map[string]any{"execute": command, "arguments": arguments})
	if arguments == nil {
		line, err = json.Marshal(map[string]any{"execute": command})
	}
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
		return &traffic.Error{Code: traffic.CodeAddress, Subject: q.name, Text: a.Error.Desc}
	}
	return nil
}

// attachQEMU makes a file of storage, by a driver of qemu-storage-daemon. A login that is refused is not tried again.
//
// The daemon could make the file itself, but writes that are under way at once are written over one another on their way in (QEMU's patch "fuse: Copy write
// buffer content before polling" of 2025 is about it; version 7.2 does it). So it gives the unit to nbdfuse over a socket of this host.
func (t *storageState) attachQEMU(ctx context.Context, g Given, driver map[string]any, what string) (a Attached, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.qemu == nil || t.qemu.ended() {
		if t.qemu, err = t.startQEMU(ctx); err != nil {
			t.qemu = nil
			return a, err
		}
	}
	q := t.qemu
	q.next++
	node := fmt.Sprintf("node%d", q.next)
	if g.Secret != "" {
		secret := fmt.Sprintf("secret%d", q.next)
		if err := q.do(ctx, "object-add", map[string]any{"qom-type": "secret", "id": secret, "data": g.Secret}); err != nil {
			return a, err
		}
		driver["password-secret"] = secret
	}
	driver["node-name"] = node
	if err := q.do(ctx, "blockdev-add", driver); err != nil {
		if e, ok := err.(*traffic.Error); ok && e.Code == traffic.CodeAddress {
			e.Subject, e.Text = fmt.Sprintf("%s on %s", g.Name, g.At), e.Text+" (it was tried once)"
		}
		return a, err
	}
	if err := q.do(ctx, "block-export-add", map[string]any{"type": "nbd", "id": "export" + node, "node-name": node, "name": node, "writable": true}); err != nil {
		return a, err
	}
	a, err = t.attachNBD(ctx, "nbd+unix:///"+node+"?socket="+url.QueryEscape(q.socket), g)
	if err != nil {
		return a, err
	}
	a.Client = fmt.Sprintf("%s in qemu-storage-daemon %s, as a file by %s, in user space", what, q.version, a.Client)
	q.uses(g.At)
	return a, nil
}

// connectionLook is how often it is looked whether the connections are there.
const connectionLook = 250 * time.Millisecond

// uses notes that it has one more connection to a server from now on.
func (q *qemuStorage) uses(at netip.AddrPort) {
	q.mu.Lock()
	q.using[at]++
	q.mu.Unlock()
}

// watch ends the program when a connection to a server is gone: it would try again for ever, with every request waiting. At its end they fail, at the moment that
// is told. There is one watch, however many servers there are.
func (q *qemuStorage) watch() {
	look := time.NewTicker(connectionLook)
	defer look.Stop()
	var l lookout
	for gone := 0; gone < 2; { // one that is being made anew is given a moment
		select {
		case <-q.over:
			return
		case <-look.C:
		}
		q.mu.Lock()
		need := maps.Clone(q.using)
		q.mu.Unlock()
		if missing, err := l.missing(need); err != nil || !missing {
			gone = 0
		} else {
			gone++
		}
	}
	q.kill()
}
