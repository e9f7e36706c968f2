package lab

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/host/connect"
)

// requestTimeout bounds the first frame of a connection as a whole.
const requestTimeout = 10 * time.Second

// serve answers connections forever. A bad peer affects only its own connection.
func (l *labInit) serve(socket *net.UnixListener) {
	for {
		conn, err := socket.AcceptUnix()
		if err != nil {
			time.Sleep(100 * time.Millisecond) // out of file descriptors: some will be closed
			continue
		}
		go func() {
			defer conn.Close()
			l.answer(conn)
		}()
	}
}

func (l *labInit) answer(conn *net.UnixConn) {
	conn.SetDeadline(time.Now().Add(requestTimeout))
	q, files, err := readRequest(conn)
	defer func() { closeFiles(files) }()
	if err != nil {
		return
	}
	say := func(a connect.LabAnswer) {
		conn.SetWriteDeadline(time.Now().Add(requestTimeout))
		connect.WriteLabFrame(conn, a)
	}
	if subtle.ConstantTimeCompare([]byte(q.Token), []byte(l.order.Token)) != 1 {
		say(connect.LabAnswer{Code: connect.LabDenied, Error: "the token is not this lab's"})
		return
	}
	ended := func(err error) {
		if err != nil {
			say(connect.LabAnswer{Code: connect.LabFailed, Error: err.Error()})
			return
		}
		say(connect.LabAnswer{Ended: true})
	}
	switch q.Op {
	case "status":
		say(connect.LabAnswer{Hosts: l.info.Hosts, Switches: l.info.Switches})
	case "down":
		say(connect.LabAnswer{Ended: true})
		l.end()
	case "mtu":
		ended(l.setMTU(q.Links, q.MTU))
	case "volume":
		conn.SetDeadline(time.Now().Add(volumeTimeout))
		if q.Volume == nil {
			ended(errors.New("a volume needs its nodes"))
			return
		}
		ended(l.volume(*q.Volume))
	case "reboot":
		conn.SetDeadline(time.Time{})
		l.reboot(q, say)
	case "exec":
		given := files
		files = nil // they are exec's: a guest's output may come after its command's end
		l.exec(conn, q, given, say)
	default:
		ended(fmt.Errorf("the lab's init knows no request %q", q.Op))
	}
}

// readRequest reads the first frame and the files that arrived with its first byte.
func readRequest(conn *net.UnixConn) (q connect.LabRequest, files []*os.File, err error) {
	var head [4]byte
	oob := make([]byte, unix.CmsgSpace(3*4))
	n, oobn, flags, _, err := conn.ReadMsgUnix(head[:], oob)
	if err != nil {
		return q, nil, err
	}
	if n == 0 {
		return q, nil, io.EOF
	}
	files, err = parseFiles(oob[:oobn])
	if err != nil {
		return q, files, err
	}
	if flags&unix.MSG_CTRUNC != 0 {
		return q, files, errors.New("too many files")
	}
	if _, err := io.ReadFull(conn, head[n:]); err != nil {
		return q, files, err
	}
	return q, files, connect.ReadLabBody(conn, head, &q)
}

func parseFiles(oob []byte) (files []*os.File, err error) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return files, err
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd) // ReadMsgUnix already requests it where it can
			files = append(files, os.NewFile(uintptr(fd), "stream"))
		}
	}
	return files, nil
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// exec starts a command and answers when it has started and when it has ended. The end of the connection, or a frame on
// it, kills the command. It closes the files.
func (l *labInit) exec(conn *net.UnixConn, q connect.LabRequest, files []*os.File, say func(connect.LabAnswer)) {
	h := l.byName[q.Host]
	g := l.guests[q.Host]
	switch {
	case h == nil && g == nil:
		closeFiles(files)
		say(connect.LabAnswer{Code: connect.LabNoHost,
			Error: fmt.Sprintf("lab %s has no host or switch %q", l.order.ID, q.Host)})
		return
	case len(files) != 3 || len(q.Argv) == 0:
		closeFiles(files)
		say(connect.LabAnswer{Code: connect.LabFailed, Error: "an exec needs a command and three files"})
		return
	}
	if g != nil {
		g.exec(conn, q, files, say)
		return
	}
	r, err := l.spawner.start(h, q, files)
	closeFiles(files) // the command has them; its readers must see its end
	if err != nil {
		code := connect.LabFailed
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.EISDIR) {
			code = connect.LabNoProgram
		}
		say(connect.LabAnswer{Code: code, Error: err.Error()})
		return
	}
	started(conn, say, r.kill)
	status := <-r.end
	a := connect.LabAnswer{Ended: true, Exit: status.ExitStatus()}
	if status.Signaled() {
		a.Exit, a.Signal = 0, int(status.Signal())
	}
	say(a)
}

// started reports the start, and from then on the end of the connection, or a frame on it, kills the command.
func started(conn *net.UnixConn, say func(connect.LabAnswer), kill func()) {
	conn.SetDeadline(time.Time{})
	say(connect.LabAnswer{Started: true})
	go func() {
		var k connect.LabKill
		connect.ReadLabFrame(conn, &k)
		kill()
	}()
}
