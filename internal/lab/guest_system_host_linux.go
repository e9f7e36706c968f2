package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/xslices"
	"linerate/internal/host/connect"
	"linerate/internal/lab/guest"
)

// errReboots is the reason why the channel of a rebooting guest has ended.
var errReboots = errors.New("has rebooted")

// startSystem starts QEMU with an operating system on a disk, and follows its state: QEMU continues over a reboot, and
// so do the disk, the NICs and their connections.
func (g *guestHost) startSystem(s *spawner, parts *GuestParts, share *os.File) error {
	about, err := json.Marshal(machineOf{Name: g.name, Hosts: string(hostsFile(g.node)), NICs: g.names})
	if err != nil {
		return err
	}
	initrd, err := guest.MakeInitrd(*parts.System, "/proc/self/exe", map[string]string{machineFile: string(about)})
	if err != nil {
		return fmt.Errorf("its first file system: %w", err)
	}
	defer initrd.Close()
	listener, address, err := listenNameless()
	if err != nil {
		return fmt.Errorf("the channel's socket: %w", err)
	}
	defer listener.Close()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	near, theirs := os.NewFile(uintptr(fds[0]), "monitor"), os.NewFile(uintptr(fds[1]), "monitor")
	defer theirs.Close()
	g.address, g.coming = address, make(chan struct{})
	i := parts.System
	err = g.spawn(s, parts.Host.QEMU, func(file func(*os.File) int) guest.Machine {
		m := g.machine(parts, file, initrd, share)
		m.Kernel, m.Init, m.Channel = i.Kernel, []string{"/init", GuestCommand, guestStart}, file(listener)
		m.Disk, m.Monitor = i.Disk, file(theirs)
		return m
	})
	if err != nil {
		near.Close()
		return err
	}
	events := make(chan string)
	go g.listen(near, events)
	go g.live(events)
	return nil
}

// listenNameless makes a listening socket without a file: the kernel chooses its name, which is only visible in this
// network namespace.
func listenNameless() (*os.File, string, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, "", err
	}
	f := os.NewFile(uintptr(fd), "channel")
	name := ""
	err = unix.Bind(fd, &unix.SockaddrUnix{})
	if err == nil {
		var at unix.Sockaddr
		if at, err = unix.Getsockname(fd); err == nil {
			name = at.(*unix.SockaddrUnix).Name
			err = unix.Listen(fd, 16)
		}
	}
	if err != nil {
		f.Close()
		return nil, "", err
	}
	return f, name, nil
}

// listen forwards QEMU's events until it ends.
func (g *guestHost) listen(near *os.File, events chan<- string) {
	defer close(events)
	defer near.Close()
	m, err := guest.NewMonitor(near)
	for err == nil {
		var e string
		if e, err = m.Event(); err == nil {
			events <- e
		}
	}
}

// live brings the guest up and, after each reboot, up again.
func (g *guestHost) live(events <-chan string) {
	for {
		err := g.comeUp(events)
		g.mu.Lock()
		g.failed = err
		close(g.coming)
		g.mu.Unlock()
		if err != nil {
			for range events { // until QEMU has ended
			}
			return
		}
		reset := false
		for e := range events {
			if reset = e == guest.EventReset; reset {
				break
			}
		}
		g.mu.Lock()
		ch := g.channel
		if !reset { // QEMU has ended, and the channel with it
			g.mu.Unlock()
			<-ch.Done()
			err := g.ended(ch)
			g.mu.Lock()
			g.failed = err
			g.mu.Unlock()
			return
		}
		g.coming = make(chan struct{})
		g.reboots++
		g.mu.Unlock()
		ch.End(errReboots)
		g.conn.Close()
	}
}

// comeUp connects the channel and waits until the guest has booted and has its settings.
func (g *guestHost) comeUp(events <-chan string) error {
	limit := time.NewTimer(g.bootLimit)
	defer limit.Stop()
	start := time.Now()
	for {
		conn, err := net.Dial("unix", g.address)
		if err != nil {
			return fmt.Errorf("guest %s: its channel: %w%s", g.name, err, g.lastWords())
		}
		g.conn = conn
		ch := guest.NewChannel(conn)
		g.mu.Lock()
		g.channel = ch
		g.mu.Unlock()
		up := make(chan error, 1)
		go func() {
			select {
			case <-ch.Hello():
				up <- g.settle(ch, start)
			case <-ch.Done():
				up <- ch.Err()
			}
		}()
		again := false
		for !again {
			select {
			case err := <-up:
				if ch.Err() != nil {
					err = g.ended(ch)
				}
				if err == nil || ch.Err() == nil || !errors.Is(ch.Err(), errReboots) {
					return err
				}
			case e, ok := <-events:
				switch {
				case !ok: // QEMU ends: the channel will report it
					events = nil
				case e == guest.EventReset: // once more, as after a panic
					ch.End(errReboots)
					conn.Close()
					again = true
				}
			case <-limit.C:
				g.qemu.kill()
				return g.notBooted()
			}
		}
	}
}

// settle applies the settings of a guest whose init has answered, and the rates of its links.
func (g *guestHost) settle(ch *guest.Channel, start time.Time) error {
	var state guestState
	if err := g.setUp(ch, &state); err != nil {
		return err
	}
	g.mu.Lock()
	shaped := g.shaped
	g.mu.Unlock()
	for _, q := range shaped {
		ctx, cancel := context.WithTimeout(context.Background(), g.answerLimit)
		err := ch.Call(ctx, opShape, q, nil)
		cancel()
		if err != nil {
			state.Notes = append(state.Notes, fmt.Sprintf("the rate of %s is not limited any more: %v", q.Interface, err))
		}
	}
	g.mu.Lock()
	g.state, g.boot = state, time.Since(start)
	g.mu.Unlock()
	return nil
}

// awaitSystem waits until the guest is up, or has failed.
func (g *guestHost) awaitSystem() error {
	<-g.coming
	return g.gone()
}

// gone returns the reason why the guest has ended; nil while it runs or boots.
func (g *guestHost) gone() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failed
}

// line returns the present channel of the machine, or why there is none.
func (g *guestHost) line() (*guest.Channel, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.channel, g.failed
}

// waitingEvery is the interval of progress messages while a request waits for a guest. It is below the connection's
// limit for an answer.
const waitingEvery = 3 * time.Second

// there waits until a guest that shuts down or reboots is up again, and returns its channel.
func (g *guestHost) there(say func(connect.LabAnswer)) (*guest.Channel, error) {
	reported, start := time.Now(), time.Now()
	for {
		g.mu.Lock()
		ch, coming, failed := g.channel, g.coming, g.failed
		g.mu.Unlock()
		if coming == nil || failed != nil {
			return ch, failed
		}
		select {
		case <-coming:
			select {
			case <-ch.Left():
				if time.Since(start) > downLimit {
					return nil, fmt.Errorf("guest %s has been going down for %v and is still there%s", g.name, downLimit,
						g.lastWords())
				}
			default:
				return ch, nil
			}
		default:
			start = time.Now()
		}
		if time.Since(reported) > waitingEvery {
			reported = time.Now()
			say(connect.LabAnswer{Waiting: "guest " + g.name + " reboots"})
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// downLimit bounds the shutdown of an operating system, with the 10 s that a service may take.
const downLimit = 45 * time.Second

// reboot starts a guest's operating system again and waits until it is up again.
func (l *labInit) reboot(q connect.LabRequest, say func(connect.LabAnswer)) {
	out, err := l.rebooted(q.Host, say)
	var body []byte
	if err == nil {
		body, err = json.Marshal(out)
	}
	if err != nil {
		code := connect.LabFailed
		if errors.Is(err, ErrNoReboot) {
			code = connect.LabNoHost
		}
		say(connect.LabAnswer{Code: code, Error: err.Error()})
		return
	}
	say(connect.LabAnswer{Ended: true, Body: body})
}

func (l *labInit) rebooted(host string, say func(connect.LabAnswer)) (out Rebooted, err error) {
	g := l.guests[host]
	switch {
	case g == nil && !slices.Contains(l.info.Hosts, host):
		return out, noReboot(
			fmt.Sprintf("lab %s has no host %q; its hosts are %s", l.order.ID, host, strings.Join(l.info.Hosts, ", ")),
		)
	case g == nil:
		return out, noReboot(fmt.Sprintf(
			"host %s is a namespace and cannot reboot; write guest: systemd on it in the fabric file, and build the lab again",
			host))
	case g.node.System == "":
		return out, noReboot(fmt.Sprintf(
			"guest %s has programs alone, and nothing that outlives a reboot; write guest: systemd on it in the fabric "+
				"file, and build the lab again", host))
	}
	start := time.Now()
	ch, err := g.there(say) // it may already reboot
	if err != nil {
		return out, err
	}
	g.mu.Lock()
	before := g.reboots
	g.mu.Unlock()
	if err := g.ask(ch, "systemctl", "reboot"); err != nil && ch.Err() == nil {
		return out, fmt.Errorf("guest %s does not reboot: %w", host, err)
	}
	reported := time.Now()
	for {
		g.mu.Lock()
		down := g.reboots > before
		g.mu.Unlock()
		if down {
			break
		}
		if err := ch.Err(); err != nil && !errors.Is(err, errReboots) {
			return out, g.ended(ch)
		}
		if time.Since(start) > downLimit {
			return out, fmt.Errorf(
				"guest %s was asked to reboot and has not gone down within %v; look at it with: linerate lab exec %s/%s -- "+
					"systemctl list-jobs%s", host, downLimit, filepath.Base(g.dir), host, g.lastWords())
		}
		if time.Since(reported) > waitingEvery {
			reported = time.Now()
			say(connect.LabAnswer{Waiting: "guest " + host + " goes down"})
		}
		time.Sleep(20 * time.Millisecond)
	}
	if _, err := g.there(say); err != nil {
		return out, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return Rebooted{Host: host, Seconds: time.Since(start).Seconds(), Files: append([]string{}, g.state.Files...),
		Notes: append([]string{}, g.state.Notes...)}, g.failed
}

// ask runs a command in the guest to its end. The error has its output.
func (g *guestHost) ask(ch *guest.Channel, argv ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), g.answerLimit)
	defer cancel()
	words := xslices.Map(argv, func(a string) []byte { return []byte(a) })
	said, over := &bytes.Buffer{}, make(chan struct{})
	nothing := func(func() bool) io.Reader { return strings.NewReader("") }
	r, a, err := ch.Start(ctx, guest.Command{Argv: words}, nothing, io.Discard, said, func() { close(over) })
	if err != nil {
		return g.why(ctx, ch, g.answerLimit, err)
	}
	if a.Error != "" {
		return errors.New(a.Error)
	}
	if a, err = g.wait(ch, r); err != nil {
		return err
	}
	if a.Exit == 0 && a.Signal == 0 {
		return nil
	}
	select {
	case <-over:
	case <-time.After(outputDelay):
		return fmt.Errorf("%s: exit code %d", argv[0], a.Exit)
	}
	return fmt.Errorf("%s: exit code %d: %s", argv[0], a.Exit, firstLine(strings.TrimSpace(said.String())))
}
