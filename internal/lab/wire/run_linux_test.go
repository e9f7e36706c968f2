package wire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/testenv"
)

// network is two hosts, a and b, each with an interface e0, and between them a namespace with the two other ends, pa
// and pb.
type network struct {
	a, b, middle string
}

func newNetwork(t *testing.T, mtu int) *network {
	t.Helper()
	testenv.Need(t, testenv.Live)
	n := &network{connecttest.Namespace(t), connecttest.Namespace(t), connecttest.Namespace(t)}
	for i, host := range []string{n.a, n.b} {
		port := []string{"pa", "pb"}[i]
		connecttest.IP(t, "-n", n.middle, "link", "add", port, "mtu", fmt.Sprint(mtu), "type", "veth", "peer", "name", "e0",
			"mtu", fmt.Sprint(mtu), "netns", host)
		// Nothing of its own is to be heard on the ports.
		connecttest.IP(t, "-n", n.middle, "link", "set", port, "addrgenmode", "none", "up")
		connecttest.IP(t, "-n", host, "link", "set", "e0", "up")
		connecttest.IP(t, "-n", host, "addr", "add", fmt.Sprintf("10.88.0.%d/24", i+1), "dev", "e0")
		connecttest.IP(t, "-n", host, "addr", "add", fmt.Sprintf("fd88::%d/64", i+1), "dev", "e0", "nodad")
	}
	return n
}

// inside does something on a thread in a network namespace.
func inside(t *testing.T, ns string, do func() error) {
	t.Helper()
	if err := <-start(ns, do); err != nil {
		t.Fatalf("in %s: %v", ns, err)
	}
}

// start begins with it. The thread comes back afterwards: were it the process's first, the process would be one of the
// namespace's, and be ended with them.
func start(ns string, do func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- within(ns, do) }()
	return done
}

func within(ns string, do func() error) error {
	runtime.LockOSThread()
	own, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	defer own.Close()
	f, err := os.Open("/run/netns/" + ns)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Setns(int(f.Fd()), unix.CLONE_NEWNET); err != nil {
		return err
	}
	defer func() {
		if unix.Setns(int(own.Fd()), unix.CLONE_NEWNET) == nil {
			runtime.UnlockOSThread()
		}
	}()
	return do()
}

// link starts a link between the ports; stop ends it and returns what it did.
func (n *network) link(t *testing.T, l Link) (stop func() (Totals, error)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	end := n.linkUntil(t, ctx, l)
	return func() (Totals, error) {
		t.Helper()
		cancel()
		return end()
	}
}

// linkUntil starts a link between the ports until ctx; end waits for its end and returns what it did.
func (n *network) linkUntil(t *testing.T, ctx context.Context, l Link) (end func() (Totals, error)) {
	t.Helper()
	l.A, l.B = "pa", "pb"
	ready := make(chan struct{})
	l.Forwarding = func() { close(ready) }
	var totals Totals
	done := start(n.middle, func() (err error) { totals, err = l.Run(ctx); return err })
	select {
	case <-ready:
	case err := <-done:
		t.Fatalf("the link: %v", err)
	}
	return func() (Totals, error) {
		t.Helper()
		select {
		case err := <-done:
			return totals, err
		case <-time.After(patience):
			t.Fatal("the link does not end")
		}
		return totals, nil
	}
}

// patience is how long one step may take on a slow machine.
const patience = 2 * time.Minute

// must is stop where no error is wanted. What the machine itself drops while it is busy is counted, and no error.
func must(t *testing.T, stop func() (Totals, error)) Totals {
	t.Helper()
	totals, err := stop()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Counts{totals.ToB, totals.ToA} {
		if c.Arrived != c.Policed+c.Overflow+c.Lost+c.Carried+c.Refused+c.Waiting-c.Duplicated {
			t.Errorf("the counts do not add up: %+v", c)
		}
		if c.Uncut != 0 {
			t.Errorf("frames were dropped that were to be cut: %+v", c)
		}
	}
	return totals
}

// counters are those of a host.
func counters(t *testing.T, ns string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	inside(t, ns, func() error {
		for _, file := range []string{"snmp", "netstat"} {
			text, err := os.ReadFile("/proc/thread-self/net/" + file)
			if err != nil {
				return err
			}
			lines := strings.Split(string(text), "\n")
			for i := 0; i+1 < len(lines); i += 2 {
				names, values := strings.Fields(lines[i]), strings.Fields(lines[i+1])
				for j := 1; j < len(names) && j < len(values); j++ {
					out[strings.TrimSuffix(names[0], ":")+names[j]], _ = strconv.ParseInt(values[j], 10, 64)
				}
			}
		}
		text, err := os.ReadFile("/proc/thread-self/net/snmp6")
		for _, line := range strings.Split(string(text), "\n") {
			if f := strings.Fields(line); len(f) == 2 {
				out[f[0]], _ = strconv.ParseInt(f[1], 10, 64)
			}
		}
		return err
	})
	return out
}

// frames is how many packets an interface of the middle was given, super-packets as one.
func (n *network) frames(t *testing.T, port string) (count uint64) {
	t.Helper()
	inside(t, n.middle, func() error {
		text, err := os.ReadFile(devFile)
		for _, line := range strings.Split(string(text), "\n") {
			if who, figures, _ := strings.Cut(line, ":"); strings.TrimSpace(who) == port {
				count, err = strconv.ParseUint(strings.Fields(figures)[1], 10, 64)
			}
		}
		return err
	})
	return count
}

// exchange carries bytes over one connection, from a to b and at once from b to a, and fails unless they arrive as they
// were sent.
func (n *network) exchange(t *testing.T, address string, ab, ba int64) {
	t.Helper()
	var listener net.Listener
	inside(t, n.b, func() (err error) { listener, err = net.Listen("tcp", address); return err })
	defer listener.Close()
	var from net.Conn
	dialled := start(n.a, func() (err error) {
		from, err = net.DialTimeout("tcp", listener.Addr().String(), patience)
		return err
	})
	to, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if err := <-dialled; err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	type end struct {
		what string
		sum  [32]byte
		n    int64
		err  error
	}
	ends := make(chan end, 4)
	send := func(what string, c net.Conn, n int64) {
		h := sha256.New()
		_, err := io.CopyBuffer(io.MultiWriter(c, h), io.LimitReader(rand.NewChaCha8([32]byte{byte(n)}), n),
			make([]byte, 256<<10))
		if err == nil {
			err = c.(*net.TCPConn).CloseWrite()
		}
		ends <- end{what, [32]byte(h.Sum(nil)), n, err}
	}
	receive := func(what string, c net.Conn) {
		h := sha256.New()
		n, err := io.Copy(h, c)
		ends <- end{what, [32]byte(h.Sum(nil)), n, err}
	}
	for _, c := range []net.Conn{from, to} {
		c.SetDeadline(time.Now().Add(patience))
	}
	go send("a to b", from, ab)
	go receive("a to b", to)
	go send("b to a", to, ba)
	go receive("b to a", from)
	got := map[string]end{}
	for range 4 {
		e := <-ends
		if e.err != nil {
			t.Fatalf("%s: %v", e.what, e.err)
		}
		if other, ok := got[e.what]; ok && (other.n != e.n || other.sum != e.sum) {
			t.Errorf("%s: %d bytes on one side, %d on the other, or others", e.what, e.n, other.n)
		}
		got[e.what] = e
	}
}

const v4, v6 = "10.88.0.2:0", "[fd88::2]:0"

// Without impairments all bytes arrive in both directions, and super-packets are cut into frames of the MTU.
func TestCarry(t *testing.T) {
	for name, c := range map[string]struct {
		mtu     int
		address string
		header  int64
	}{"IPv4": {1500, v4, 52}, "IPv6": {1500, v6, 72}, "jumbo frames": {9000, v4, 52}, "jumbo frames over IPv6": {9000,
		v6, 72}} {
		t.Run(name, func(t *testing.T) {
			const size = 8 << 20
			n := newNetwork(t, c.mtu)
			stop := n.link(t, Link{Seed: 1})
			n.exchange(t, c.address, size, size)
			given := n.frames(t, "pa")
			totals := must(t, stop)
			least := uint64(size / (int64(c.mtu) - c.header))
			if totals.ToB.Carried < least || totals.ToA.Carried < least {
				t.Errorf("%d and %d wire packets, want at least %d for %d bytes", totals.ToB.Carried, totals.ToA.Carried, least,
					size)
			}
			if given >= totals.ToB.Arrived {
				t.Errorf("no super-packet was cut: the host gave %d, and %d wire packets came of it", given, totals.ToB.Arrived)
			}
		})
	}
}

// TestRefusedByTheInterface holds that frames which an interface does not take are counted as refused, and that the
// link ends when the interface is gone.
func TestRefusedByTheInterface(t *testing.T) {
	n := newNetwork(t, 1500)
	inside(t, n.middle, func() error {
		to, err := openPort("pb")
		if err != nil {
			return err
		}
		defer to.close()
		w := &way{Pipe: NewPipe(Settings{}, 1), to: to}
		deliver := func(count int) error {
			for i := range count {
				w.Put(0, data(i, 100, 0))
			}
			return w.deliver(0)
		}
		if err := deliver(2); err != nil || w.Carried != 2 {
			return fmt.Errorf("up: %+v, %v; want 2 carried", w.Counts, err)
		}
		connecttest.IP(t, "-n", n.middle, "link", "set", "pb", "down")
		if err := deliver(3); err != nil || w.Carried != 2 || w.Refused != 3 {
			return fmt.Errorf("down: %+v, %v; want 2 carried and 3 refused", w.Counts, err)
		}
		connecttest.IP(t, "-n", n.middle, "link", "del", "pb")
		err = deliver(4)
		if err == nil || !strings.Contains(err.Error(), "interface pb is gone") || w.Carried != 2 || w.Refused != 7 {
			return fmt.Errorf("gone: %+v, %v; want 2 carried and 7 refused", w.Counts, err)
		}
		return nil
	})
}

// What the link lost the sender sends again.
func TestLossIsRetransmitted(t *testing.T) {
	for name, set := range map[string]Settings{
		"single":    {Loss: 0.005},
		"in bursts": {Loss: 0.005, LossBurst: 4},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t, 1500)
			set.Delay = time.Millisecond
			stop := n.link(t, Link{ToB: set, Seed: 4})
			n.exchange(t, v4, 24<<20, 0)
			again := counters(t, n.a)["TcpRetransSegs"]
			c := must(t, stop).ToB
			lost := int64(c.Lost)
			t.Logf("lost %d, dropped %d, retransmitted %d", c.Lost, c.Dropped, again)
			if c.Lost < 20 {
				t.Errorf("only %d were lost", c.Lost)
			}
			// Nothing else brings it. TCP also sends what only may have been lost: how much hangs on the machine.
			if again < lost*9/10 {
				t.Errorf("%d were lost, and %d were retransmitted", lost, again)
			}
		})
	}
}

func TestMarksArrive(t *testing.T) {
	for _, c := range []struct{ address, counter string }{{v4, "IpExtInCEPkts"}, {v6, "Ip6InCEPkts"}} {
		n := newNetwork(t, 1500)
		for _, ns := range []string{n.a, n.b} {
			inside(t, ns, func() error { return os.WriteFile("/proc/sys/net/ipv4/tcp_ecn", []byte("1"), 0) })
		}
		stop := n.link(t, Link{ToB: Settings{CE: 0.02, Delay: 200 * time.Microsecond}, Seed: 2})
		n.exchange(t, c.address, 16<<20, 0)
		saw := counters(t, n.b)[c.counter]
		to := must(t, stop).ToB
		dropped := min(to.Marked, to.Dropped+to.Refused)
		if to.Marked < 50 || saw > int64(to.Marked) || saw < int64(to.Marked-dropped) {
			t.Errorf("%d were marked (%d dropped behind the link), and the receiver's %s is %d", to.Marked, dropped, c.counter,
				saw)
		}
	}
}

func TestCorruptionIsSeen(t *testing.T) {
	for _, address := range []string{v4, v6} {
		n := newNetwork(t, 1500)
		stop := n.link(t, Link{ToB: Settings{Corrupt: 0.005, Delay: 200 * time.Microsecond}, Seed: 3})
		n.exchange(t, address, 16<<20, 0)
		saw := counters(t, n.b)["TcpInCsumErrors"]
		to := must(t, stop).ToB
		dropped := min(to.Corrupted, to.Dropped+to.Refused)
		if to.Corrupted < 20 || saw > int64(to.Corrupted) || saw < int64(to.Corrupted-dropped) {
			t.Errorf("%s: %d were corrupted (%d dropped behind the link), and the receiver's Tcp.InCsumErrors is %d", address,
				to.Corrupted, dropped, saw)
		}
		if to.Lost != 0 {
			t.Errorf("%d were lost on the link itself", to.Lost)
		}
	}
}

// TCP itself sees the reordering: its receiver holds what came too early.
func TestReorderingIsSeen(t *testing.T) {
	n := newNetwork(t, 1500)
	stop := n.link(t, Link{ToB: Settings{Reorder: 0.01, ReorderBy: 2 * time.Millisecond, Delay: 5 * time.Millisecond},
		ToA: Settings{Delay: 5 * time.Millisecond}, Seed: 3})
	n.exchange(t, v4, 16<<20, 0)
	early, saw := counters(t, n.b)["TcpExtTCPOFOQueue"], counters(t, n.a)
	to := must(t, stop).ToB
	t.Logf("reordered %d, TCPOFOQueue %d, TCPSACKReorder %d, RetransSegs %d", to.Reordered, early,
		saw["TcpExtTCPSACKReorder"], saw["TcpRetransSegs"])
	if to.Reordered == 0 || early == 0 {
		t.Errorf("%d were reordered, and the receiver's TCPOFOQueue is %d", to.Reordered, early)
	}
}

// The receiver reports what comes twice to the sender by DSACK.
func TestDuplicatesAreSeen(t *testing.T) {
	n := newNetwork(t, 1500)
	stop := n.link(t, Link{ToB: Settings{Duplicate: 0.01}, Seed: 3})
	n.exchange(t, v4, 16<<20, 0)
	saw := counters(t, n.b)["TcpExtTCPDSACKOldSent"]
	to := must(t, stop).ToB
	if to.Duplicated < 20 || saw < int64(to.Duplicated)/2 {
		t.Errorf("%d came twice, and the receiver reported %d", to.Duplicated, saw)
	}
}

// A rate with its queue: a TCP connection fills it, and what overflows is retransmitted. TestRate has the rate, in
// simulated time.
func TestRateAndQueueOfTheLink(t *testing.T) {
	n := newNetwork(t, 1500)
	stop := n.link(t,
		Link{ToB: Settings{Rate: 100 * unit.MegabitPerSecond, Queue: Queue{Bytes: 32 << 10}, Delay: 2 * time.Millisecond},
			Seed: 3})
	n.exchange(t, v4, 4<<20, 0)
	again := counters(t, n.a)["TcpRetransSegs"]
	to := must(t, stop).ToB
	if to.Overflow == 0 || to.MostQueued > 32<<10 || to.MostQueued < 28<<10 {
		t.Errorf("the queue held %d bytes at the most, and %d did not fit", to.MostQueued, to.Overflow)
	}
	if lost := int64(to.Overflow); again < lost*9/10 {
		t.Errorf("%d were dropped, and %d were retransmitted", lost, again)
	}
}

// Tags of VLANs, which the kernel keeps next to the frame, cross the link, and what follows them is taken for data.
func TestVLAN(t *testing.T) {
	n := newNetwork(t, 1500)
	stop := n.link(t, Link{ToB: Settings{CE: 1}, Seed: 1})
	var a, b *port
	inside(t, n.a, func() (err error) { a, err = openPort("e0"); return err })
	defer a.close()
	inside(t, n.b, func() (err error) {
		if b, err = openPort("e0"); err == nil {
			err = b.listen()
		}
		return err
	})
	defer b.close()
	frame := packet{vlan: true, ecn: 2, payload: pattern(700)}.bytes()
	headerChecksum(frame[18:38])
	h, ok := parse(frame)
	if !ok {
		t.Fatal("not parsed")
	}
	h.transportChecksum(frame)
	marked := slices.Clone(frame)
	h.mark(marked)
	// Nothing repeats a frame that an interface drops, as one does that the kernel has not brought up on both ends.
	again := time.Now()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if !time.Now().Before(again) {
			if sent, err := a.send([][]byte{slices.Clone(frame)}); sent != 1 || err != nil {
				t.Fatal(sent, err)
			}
			again = time.Now().Add(time.Second)
		}
		found := false
		if _, _, err := b.receive(func(_ offload, got []byte) { found = found || bytes.Equal(got, marked) }); err != nil {
			t.Fatal(err)
		}
		if found {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the frame with its tag did not come")
		}
	}
	if to := must(t, stop).ToB; to.Marked == 0 {
		t.Errorf("%d were marked", to.Marked)
	}
}

// Datagrams that the host hands over together come one by one.
func TestDatagramsTogether(t *testing.T) {
	const size, together, times = 1000, 20, 50
	n := newNetwork(t, 1500)
	stop := n.link(t, Link{Seed: 1})
	var to *net.UDPConn
	inside(t, n.b, func() (err error) {
		to, err = net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(10, 88, 0, 2)})
		return err
	})
	defer to.Close()
	to.SetReadBuffer(4 << 20)
	inside(t, n.a, func() error {
		from, err := net.DialUDP("udp", nil, to.LocalAddr().(*net.UDPAddr))
		if err != nil {
			return err
		}
		defer from.Close()
		raw, err := from.SyscallConn()
		if err != nil {
			return err
		}
		if err2 := raw.Control(
			func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_UDP, unix.UDP_SEGMENT, size) },
		); err != nil || err2 != nil {
			return fmt.Errorf("UDP_SEGMENT: %v, %v", err, err2)
		}
		for i := range times {
			var b []byte
			for j := range together {
				b = append(b, bytes.Repeat([]byte{byte(i*together + j)}, size)...)
			}
			if _, err := from.Write(b); err != nil {
				return err
			}
			// As many as the receiver's buffer surely holds.
			for j := range together {
				got := make([]byte, 2*size)
				to.SetReadDeadline(time.Now().Add(patience))
				k, err := to.Read(got)
				if err != nil {
					return fmt.Errorf("datagram %d of write %d: %w", j, i, err)
				}
				if want := bytes.Repeat([]byte{byte(i*together + j)}, size); !bytes.Equal(got[:k], want) {
					return fmt.Errorf("datagram %d of write %d: %d bytes beginning with %d, want %d with %d", j, i, k, got[0], size,
						want[0])
				}
			}
		}
		return nil
	})
	if given, to := n.frames(t, "pa"), must(t, stop).ToB; to.Carried < together*times || given >= together*times {
		t.Errorf("the host gave %d, and %d datagrams were carried of %d", given, to.Carried, together*times)
	}
	if errors := counters(t, n.b)["UdpInCsumErrors"]; errors != 0 {
		t.Errorf("%d datagrams had a wrong checksum", errors)
	}
}

// An interface that goes away ends the link with an error, and the counts are there; one that is only down does not.
func TestInterfaceGoes(t *testing.T) {
	n := newNetwork(t, 1500)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	end := n.linkUntil(t, ctx, Link{Seed: 1})
	connecttest.IP(t, "-n", n.middle, "link", "set", "pb", "down")
	connecttest.IP(t, "-n", n.middle, "link", "set", "pb", "up")
	n.exchange(t, v4, 1<<20, 1<<20)
	connecttest.IP(t, "-n", n.middle, "link", "del", "pb")
	totals, err := end()
	if err == nil || !strings.Contains(err.Error(), "pb is gone") || totals.ToB.Carried == 0 {
		t.Errorf("%v with %+v", err, totals)
	}
}

func TestNoLink(t *testing.T) {
	n := newNetwork(t, 1500)
	for _, c := range []struct {
		l    Link
		says string
	}{
		{Link{A: "pa", B: "nope"}, "interface nope"},
		{Link{A: "pa", B: "lo"}, "interface lo"},
		{Link{A: "pa", B: "pa"}, "both ends"},
		{Link{A: "pa", B: "pb", ToA: Settings{Loss: 2}}, "comes in at pb: loss 200%"},
	} {
		err := <-start(n.middle, func() error { _, err := c.l.Run(context.Background()); return err })
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want words of %q", c.l, err, c.says)
		}
	}
}

func TestTxDropped(t *testing.T) {
	// /proc/net/dev of Linux 6.18, two interfaces of a namespace.
	const text = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:       0       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0
    pa: 1083266   17041    0    5    0     0          0         0 26103104   18025    0   17    0     0       0          0
`
	if n := txDropped(text, "pa"); n != 17 {
		t.Errorf("%d, want 17", n)
	}
	if n := txDropped(text, "p"); n != 0 {
		t.Errorf("%d of an interface that is not there", n)
	}
}
