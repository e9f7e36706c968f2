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

	"linerate/internal/traffic"
)

// LauncherName is the name under which mpirun starts this program in place of ssh.
const LauncherName = "linerate-launch"

const launchSocket = "launch.sock"

// launcher takes what mpirun's launcher wants, at a socket in the experiment's folder, and has the controller see to it.
type launcher struct {
	socket net.Listener // nil: this system has none
	ask    func(Launch) error

	mu      sync.Mutex
	next    uint64
	waiting map[uint64]chan Launched
	conns   sync.WaitGroup
}

// launchRequest is what the program under that name says to the agent, one JSON object; the answer is a Launched.
type launchRequest struct {
	Host string `json:"host"`
	Line string `json:"line"`
}

func (s *server) newLauncher(ctx context.Context, id uint64, place *appFolder) (*launcher, error) {
	l := &launcher{waiting: map[uint64]chan Launched{}, ask: func(q Launch) error { return s.link.send(ctx, id, kindLaunch, q) }}
	if runtime.GOOS == "windows" {
		return l, nil // MPI there has a service of its own
	}
	fail := func(err error) (*launcher, error) {
		return nil, &traffic.Error{Code: traffic.CodeInternal, Subject: "the launcher of mpirun", Text: err.Error()}
	}
	var err error
	if l.socket, err = net.Listen("unix", place.own(launchSocket)); err != nil {
		return fail(err)
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

// mostLaunch bounds what a launcher may say.
const mostLaunch = 256 << 10

func (l *launcher) serve(conn net.Conn) {
	var q launchRequest
	if json.NewDecoder(io.LimitReader(conn, mostLaunch)).Decode(&q) != nil {
		return
	}
	over := make(chan Launched, 1)
	l.mu.Lock()
	l.next++
	n := l.next
	l.waiting[n] = over
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.waiting, n)
		l.mu.Unlock()
	}()
	if err := l.ask(Launch{Number: n, Host: q.Host, Line: q.Line}); err != nil {
		return
	}
	gone := make(chan struct{})
	go func() { // it says nothing more: the end of its connection is its own
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

// close ends the socket. Programs that wait at it were ended before.
func (l *launcher) close() {
	if l.socket != nil {
		l.socket.Close()
	}
}

// LauncherMain is this program under LauncherName, as mpirun starts it: [OPTIONS] HOST COMMAND.., as ssh. It returns the command's exit code, 255 where
// there was none.
func LauncherMain(argv []string, stderr io.Writer) int {
	fail := func(format string, a ...any) int {
		fmt.Fprintf(stderr, LauncherName+": "+format+"\n", a...)
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
	if err := json.NewEncoder(conn).Encode(launchRequest{Host: words[0], Line: strings.Join(words[1:], " ")}); err != nil {
		return fail("%v", err)
	}
	var a Launched
	if err := json.NewDecoder(bufio.NewReader(conn)).Decode(&a); err != nil {
		return fail("the agent of the experiment is gone: %v", err)
	}
	_, _ = stderr.Write(a.Output)
	return a.Exit
}
