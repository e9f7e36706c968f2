package mptcp

import (
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
	"linerate/internal/traffic/tcp"
	"linerate/internal/traffic/traffictest"
)

// inNamespace is set in the process that runs in a network namespace of its own.
const inNamespace = "LINERATE_MPTCP_NAMESPACE"

// A connection with two paths has both in the outcome, with what each carried; together they carried what was received.
func TestTwoPaths(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if os.Getenv(inNamespace) == "" {
		if os.Getuid() != 0 {
			t.Skip("only root makes network namespaces")
		}
		c := exec.Command("unshare", "--net", os.Args[0], "-test.run", "^TestTwoPaths$", "-test.v")
		c.Env = append(os.Environ(), inNamespace+"=1")
		text, err := c.CombinedOutput()
		switch {
		case strings.Contains(string(text), "--- FAIL"):
			t.Fatalf("%s", text)
		case err != nil || !strings.Contains(string(text), "--- PASS"):
			t.Skipf("no MPTCP in a namespace here: %v\n%s", err, text)
		}
		return
	}
	for _, line := range []string{"ip link set lo up", "ip mptcp limits set subflow 2 add_addr_accepted 2",
		"ip mptcp endpoint add 127.0.0.2 dev lo subflow"} {
		if text, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
			t.Skipf("%s: %v: %s", line, err, text)
		}
	}
	s := traffic.Setup{Method: "throughput", Transport: traffic.MPTCP, Direction: traffic.Out, Streams: 1, Pace: 400e6,
		Warmup: 300 * time.Millisecond, Interval: time.Second}
	r := traffictest.Pairs(t, traffic.Table{Stream()}, traffictest.Drained, s)[0]
	for side, o := range map[string]*traffic.Outcome{"from": r.From, "to": r.To} {
		e := o.Streams[0]
		if len(e.Subflows) != 2 || o.Goodput == 0 && side == "to" {
			t.Fatalf("%s: %+v, %q", side, e.Subflows, o.Warnings)
		}
		var sum int64
		addresses := map[netip.Addr]bool{}
		for _, f := range e.Subflows {
			n := f.Received
			own := f.Remote.Addr()
			if side == "from" {
				n, own = f.Sent, f.Local.Addr()
			}
			if n == nil {
				t.Fatalf("%s: %+v has no count", side, f)
			}
			sum += *n
			addresses[own] = true
		}
		// How much that is depends on the machine: the interval has less than the whole connection, but something.
		if len(addresses) != 2 || sum <= 0 || sum > e.Sent+e.Received {
			t.Errorf("%s: %v carried %d of %d bytes", side, addresses, sum, e.Sent+e.Received)
		}
		if e.Socket != nil {
			t.Errorf("%s: the first path's TCP_INFO stands for the connection: %+v", side, e.Socket)
		}
	}
}

// A connection to a host without MPTCP carries data all the same, and the outcome says that it is TCP.
func TestFallback(t *testing.T) {
	testenv.Need(t, testenv.Live)
	lc := net.ListenConfig{}
	lc.SetMultipathTCP(false)
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = io.ReadFull(c, make([]byte, socket.TokenSize+4)) // the preamble
		_, _ = c.Write([]byte("k"))
	}()
	at := l.Addr().(*net.TCPAddr).AddrPort()
	s := traffic.Endpoint{Setup: traffic.Setup{Local: at.Addr(), Remote: at.Addr(), Port: at.Port(),
		Token: socket.NewToken()}}
	w, err := tcp.DialAgain(t.Context(), s, tcp.SocketOptions{Multipath: true}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	v := newView(w)
	if text := v.fallback(); !strings.Contains(text, "MPTCP") {
		t.Errorf("fallback: %q", text)
	}
	if r, err := v.Reading(); err != nil || r == nil {
		t.Errorf("a connection that fell back has no TCP_INFO: %v", err)
	}
}

// Settings that this engine does not take are refused.
func TestCheck(t *testing.T) {
	at := netip.MustParseAddr("127.0.0.1")
	good := traffic.Setup{Method: "throughput", Transport: traffic.MPTCP, Side: traffic.To, Listen: true,
		Direction: traffic.Out, Streams: 1, Interval: time.Second, Local: at, Remote: at}
	table := traffic.Table{Stream()}
	if err := table.Check(good); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*traffic.Setup){
		"transport tcp": func(s *traffic.Setup) { s.Amount = 1 << 20 },
		"copies":        func(s *traffic.Setup) { s.Tuning.Copies = traffic.CopiesNone },
		"pace_by":       func(s *traffic.Setup) { s.Pace, s.PaceBy = 1e6, traffic.PaceByKernel },
	} {
		s := good
		change(&s)
		if err := table.Check(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
