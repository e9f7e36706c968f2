package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
)

// Launch is a line for a shell of a host, which mpirun's launcher asks for.
type Launch struct {
	Number uint64 `json:"number"`
	Host   string `json:"host"`
	Line   string `json:"line"`
}

// Launched is how the line ended.
type Launched struct {
	Number uint64 `json:"number"`
	Exit   int    `json:"exit"`
	Output []byte `json:"output,omitempty"` // its last lines
}

const (
	launchSocket = "launch.sock"
	// mostLaunch is the most bytes that a launcher may send.
	mostLaunch = 256 << 10
)

// launcher accepts the requests of mpirun's launchers at a socket in the experiment's folder, and has the controller
// carry them out.
type launcher struct {
	socket net.Listener // nil: this system has none
	ask    func(Launch) error

	mu      sync.Mutex
	next    uint64
	waiting map[uint64]chan Launched
	conns   sync.WaitGroup
}

func (s *server) newLauncher(ctx context.Context, id uint64, place *process.Folder) (*launcher, error) {
	l := &launcher{waiting: map[uint64]chan Launched{},
		ask: func(q Launch) error { return s.link.send(ctx, id, kindLaunch, q) }}
	if runtime.GOOS == "windows" {
		return l, nil // MPI there has a service of its own
	}
	var err error
	if l.socket, err = net.Listen("unix", place.Own(launchSocket)); err != nil {
		return nil, failure.Errorf(failure.CodeInternal, "the launcher of mpirun", "%v", err)
	}
	go func() {
		for {
			conn, err := l.socket.Accept()
			if err != nil {
				return
			}
			l.conns.Go(func() {
				defer conn.Close()
				l.serve(conn)
			})
		}
	}()
	return l, nil
}

func (l *launcher) serve(conn net.Conn) {
	var q Launch
	if json.NewDecoder(io.LimitReader(conn, mostLaunch)).Decode(&q) != nil {
		return
	}
	over := make(chan Launched, 1)
	l.mu.Lock()
	l.next++
	q.Number = l.next
	l.waiting[q.Number] = over
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.waiting, q.Number)
		l.mu.Unlock()
	}()
	if err := l.ask(q); err != nil {
		return
	}
	gone := make(chan struct{})
	go func() { // a launcher sends nothing more, so the read ends when the launcher does
		_, _ = conn.Read(make([]byte, 1))
		close(gone)
	}()
	select {
	case a := <-over:
		_ = json.NewEncoder(conn).Encode(a)
	case <-gone:
	}
}

func (l *launcher) ended(a Launched) {
	l.mu.Lock()
	over := l.waiting[a.Number]
	l.mu.Unlock()
	if over != nil {
		select {
		case over <- a:
		default:
		}
	}
}

// close closes the socket. The programs that wait at it have been ended before.
func (l *launcher) close() {
	if l.socket != nil {
		l.socket.Close()
	}
}

// LauncherMain is this program under process.LauncherName, as mpirun starts it: [OPTIONS] HOST COMMAND..., as ssh. It
// sends a Launch to the agent and gets a Launched. It returns the command's exit code, or 255 without one.
func LauncherMain(argv []string, stderr io.Writer) int {
	fail := func(format string, a ...any) int {
		fmt.Fprintf(stderr, process.LauncherName+": "+format+"\n", a...)
		return 255
	}
	words := argv[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		words = words[1:] // -x of Hydra: no forwarding of X11
	}
	if len(words) < 2 {
		return fail("it is started by mpirun, as ssh is: HOST COMMAND")
	}
	conn, err := net.Dial("unix", filepath.Join(filepath.Dir(argv[0]), launchSocket))
	if err != nil {
		return fail("the agent of the experiment does not answer: %v", err)
	}
	defer conn.Close()
	if err := json.NewEncoder(conn).Encode(Launch{Host: words[0], Line: strings.Join(words[1:], " ")}); err != nil {
		return fail("%v", err)
	}
	var a Launched
	if err := json.NewDecoder(bufio.NewReader(conn)).Decode(&a); err != nil {
		return fail("the agent of the experiment is gone: %v", err)
	}
	_, _ = stderr.Write(a.Output)
	return a.Exit
}
