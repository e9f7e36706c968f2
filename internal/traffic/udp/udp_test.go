package udp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
	"linerate/internal/traffic/traffictest"
)

func udpSetup(method string, streams int) traffic.Setup {
	s := traffictest.Setup(method, streams)
	s.Transport = traffic.UDP
	return s
}

// What was sent and did not arrive is what the receiving sockets had no room for: the two counts are the same, but for
// the datagrams that announce the end, where each buffer holds one datagram.
func TestUDPCounts(t *testing.T) {
	testenv.Need(t, testenv.Live)
	before := traffictest.Descriptors(t)
	var setups []traffic.Setup
	for _, c := range []struct {
		direction, address, send, receive string
		streams                           int
		size                              unit.Bytes
		pace                              unit.BitRate
	}{
		{direction: traffic.Out, address: "127.0.0.1", streams: 1}, // at full speed
		{direction: traffic.In, address: "127.0.0.1", streams: 1, pace: 100e6},
		{direction: traffic.Both, address: "127.0.0.1", streams: 2, pace: 20e6},
		{direction: traffic.Out, address: "::1", streams: 2, pace: 50e6},
		{direction: traffic.Out, address: "127.0.0.1", streams: 1, size: 100, send: traffic.UDPMmsg,
			receive: traffic.UDPMmsg, pace: 10e6},
		{direction: traffic.Out, address: "127.0.0.1", streams: 1, send: traffic.UDPPlain, receive: traffic.UDPPlain,
			pace: 50e6},
		{direction: traffic.Out, address: "127.0.0.1", streams: 1, send: traffic.UDPGSO, receive: traffic.UDPMmsg,
			pace: 100e6},
	} {
		if runtime.GOOS != "linux" && (c.send != traffic.UDPPlain && c.send != "" || c.receive != traffic.UDPPlain &&
			c.receive != "") {
			continue
		}
		s := udpSetup("throughput", c.streams)
		s.Local = netip.MustParseAddr(c.address)
		s.Remote, s.Direction, s.Size, s.UDP.Send, s.UDP.Receive = s.Local, c.direction, c.size, c.send, c.receive
		s.Pace, s.Interval = c.pace, 2*time.Second
		setups = append(setups, s)
	}
	for _, s := range setups { // one after the other
		r := traffictest.Pairs(t, table(), 2*time.Second, s)[0]
		name := fmt.Sprintf("%s %s %d %s %s", s.Direction, s.Local, s.Streams, s.UDP.Send, s.UDP.Receive)
		from, to := traffictest.Received(r.From) > 0, traffictest.Received(r.To) > 0
		if s.Pace == 0 && s.Direction == traffic.Out {
			to = true // a sender without a pace may leave a receiver no CPU
		}
		if from != (s.Direction != traffic.Out) || to != (s.Direction != traffic.In) {
			t.Errorf("%s: %d bytes received at from, %d at to", name, traffictest.Received(r.From), traffictest.Received(r.To))
		}
		for k := range r.From.Streams {
			a, b := r.From.Streams[k], r.To.Streams[k]
			if !a.Active {
				a, b = b, a
			}
			if a.UDP.Sent > a.UDP.Total || b.UDP.Received > a.UDP.Sent || b.UDP.Arrived > a.UDP.Total ||
				b.UDP.Duplicated != 0 || b.UDP.Reordered != 0 {
				t.Errorf("%s: stream %d: sent %+v, received %+v", name, k, *a.UDP, *b.UDP)
			}
			// The datagrams that announce the end are sent several times, and a full socket drops them, too.
			missing := a.UDP.Total - b.UDP.Arrived
			if d := b.UDP.Drops; d != nil && b.UDP.Receive != traffic.UDPGRO && (*d < missing || *d > missing+ends) {
				t.Errorf("%s: stream %d: the socket dropped %d, %d did not arrive, and at most %d announced the end", name, k, *d,
					missing, ends)
			}
			if s.UDP.Send != "" && a.UDP.Send != s.UDP.Send || s.UDP.Receive != "" && b.UDP.Receive != s.UDP.Receive {
				t.Errorf("%s: was %s and %s", name, a.UDP.Send, b.UDP.Receive)
			}
		}
	}
	traffictest.Settled(t, "descriptors", before, func() int { return traffictest.Descriptors(t) })
}

func TestUDPPing(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	asleep, spinning := udpSetup("latency", 2), udpSetup("latency", 2)
	asleep.Interval, spinning.Interval = 2*time.Second, 2*time.Second
	spinning.Tuning.Spin = runtime.GOOS == "linux"
	for i, r := range traffictest.Pairs(t, table(), traffictest.Drained, asleep, spinning) {
		h, err := traffic.DecodeHistogram(r.From.Histogram)
		if err != nil {
			t.Fatal(err)
		}
		var sent, received int64
		for _, e := range r.From.Streams {
			sent, received = sent+e.UDP.Sent, received+e.UDP.Received
		}
		if r.From.RTTSamples == 0 || h.Count() != r.From.RTTSamples || r.To.RTTSamples != 0 ||
			received != r.From.RTTSamples ||
			sent < received {
			t.Errorf("%d: round trips %d, histogram %d, asked %d, answered %d, at the answering end %d", i,
				r.From.RTTSamples, h.Count(), sent, received, r.To.RTTSamples)
		}
	}
}

// listening is a prepared end that receives, and the socket of a sender.
type listening struct {
	end  *traffic.End
	conn *net.UDPConn
	tag  uint32
}

func listeningTo(t *testing.T, method string, interval time.Duration) *listening {
	t.Helper()
	s := udpSetup(method, 1)
	s.Side, s.Listen = traffic.To, true
	s.Interval = interval
	end, err := table().Prepare(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end.Close)
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(s.Local, end.Ready().Ports[0])))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &listening{end: end, conn: conn, tag: traffic.TagOf(end.Ready().Token)}
}

// A known number of datagrams is left out, sent late, sent twice: the receiver counts each to the datagram.
func TestUDPExactCounts(t *testing.T) {
	const n = 280
	numbers := func() (all []int64) {
		for i := range int64(n) {
			all = append(all, i)
		}
		return all
	}
	random := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		order                       func() []int64
		lost, reordered, duplicated int64
	}{
		"all": {order: numbers},
		"each seventh": {order: func() []int64 {
			return slices.DeleteFunc(numbers(), func(i int64) bool { return i%7 == 3 })
		}, lost: n / 7},
		"the first": {order: func() []int64 { return numbers()[100:] }, lost: 100},
		"the last":  {order: func() []int64 { return numbers()[:n-100] }, lost: 100},
		"a hole":    {order: func() []int64 { return slices.Delete(numbers(), 100, 200) }, lost: 100},
		"pairs turned": {order: func() []int64 {
			all := numbers()
			for i := 0; i < n; i += 10 {
				all[i], all[i+1] = all[i+1], all[i]
			}
			return all
		}, reordered: n / 10},
		"one very late": {order: func() []int64 { return append(slices.Delete(numbers(), 5, 6), 5) }, reordered: 1},
		"each third twice": {order: func() (all []int64) {
			for _, i := range numbers() {
				if all = append(all, i); i%3 == 0 {
					all = append(all, i)
				}
			}
			return all
		}, duplicated: n/3 + 1},
		"lost, late and twice": {order: func() []int64 {
			all := slices.DeleteFunc(numbers(), func(i int64) bool { return i%100 == 50 }) // 3 lost
			all = slices.Insert(all, 150, slices.Clone(all[3:8])...)                       // 5 twice
			late := slices.Clone(all[200:210])
			return append(slices.Delete(all, 200, 210), late...)
		}, lost: 3, reordered: 10, duplicated: 5},
		"shuffled": {order: func() []int64 {
			all := numbers()
			random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			return all
		}, reordered: -1},
	} {
		order := c.order()
		t.Run(name, func(t *testing.T) {
			traffictest.Bubble(t, func(t *testing.T) {
				from, to, socket := simulatedPair(t, traffic.Setup{Method: "throughput", Transport: traffic.UDP,
					Direction: traffic.Out, Streams: 1, Interval: time.Second}, 0)
				defer from.Close()
				send := func(d traffic.Stamp) {
					b := make([]byte, 64)
					d.Tag = socket.tag
					d.Put(b)
					_, _ = socket.One(b)
				}
				begin := traffic.Now() + int64(time.Second)
				go func() {
					traffic.SleepUntil(t.Context(), begin+10*ms)
					for i := range int64(50) { // outside of the interval: these count for nothing
						send(traffic.Stamp{Kind: traffic.KindData, Number: i, Time: i})
						time.Sleep(time.Microsecond)
					}
					for _, v := range order {
						send(traffic.Stamp{Kind: traffic.KindData, Interval: true, Number: v + 50, Time: v})
						time.Sleep(time.Microsecond)
					}
					for range ends {
						send(traffic.Stamp{Kind: traffic.KindEnd, Number: n})
					}
				}()
				o, err := to.Run(t.Context(), begin, func([]traffic.Sample) {})
				if err != nil {
					t.Fatal(err)
				}
				got := o.Streams[0].UDP
				if lost := n - got.Received; lost != c.lost || got.Duplicated != c.duplicated || c.reordered >= 0 &&
					got.Reordered != c.reordered {
					t.Errorf("lost %d reordered %d duplicated %d, want %d %d %d; %+v", lost, got.Reordered, got.Duplicated, c.lost,
						c.reordered, c.duplicated, *got)
				}
			})
		})
	}
}

func TestSequenceAgainstMap(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	s, seen := newSequence(), map[int64]bool{}
	var duplicated int64
	at := int64(0)
	for range 300_000 {
		at += int64(random.IntN(4)) - 1
		if random.IntN(50_000) == 0 {
			at += 3 * seenDatagrams
		}
		v := max(0, at-int64(random.IntN(3000)))
		if s.add(traffic.Stamp{Interval: true, Number: v}, 0) == seen[v] {
			t.Fatalf("number %d: taken for new %v", v, !seen[v])
		}
		if seen[v] {
			duplicated++
		}
		seen[v] = true
	}
	if s.received != int64(len(seen)) || s.duplicated != duplicated || s.arrived != s.received {
		t.Errorf("received %d of %d, duplicated %d of %d", s.received, len(seen), s.duplicated, duplicated)
	}
}

// The estimate of RFC 3550: with a distance that alternates between 0 and d, it approaches d.
func TestJitter(t *testing.T) {
	s := newSequence()
	for i := range int64(400) {
		s.add(traffic.Stamp{Interval: true, Number: i, Time: i * 1000}, i*1000+5_000_000+(i%2)*160)
	}
	if s.jitter < 159 || s.jitter > 160 {
		t.Errorf("jitter %v ns, want 160", s.jitter)
	}
	s = newSequence()
	s.add(traffic.Stamp{Interval: true, Number: 0, Time: 0}, 100)
	s.add(traffic.Stamp{Interval: true, Number: 1, Time: 10}, 142)
	if s.jitter != 2 {
		t.Errorf("jitter after one difference of 32 ns: %v, want 2", s.jitter)
	}
}

// A data port sends nothing to a peer without the token, and never more bytes than it received: not to an
// unauthenticated peer, not for a greeting that was changed, not for one that is replayed from another address.
func TestUDPReflection(t *testing.T) {
	l := listeningTo(t, "latency", 400*time.Millisecond)
	token := l.end.Ready().Token
	hello := greeting{step: stepHello, dialer: newNonce()}
	const never, surely = 30 * time.Millisecond,
		time.Minute // the wait for an answer that must not come, and for one that must
	answer := func(c *net.UDPConn, b []byte, wait time.Duration) []byte {
		t.Helper()
		if _, err := c.Write(b); err != nil {
			t.Fatal(err)
		}
		in := make([]byte, 2000)
		c.SetReadDeadline(time.Now().Add(wait))
		n, err := c.Read(in)
		if err != nil {
			return nil
		}
		return in[:n]
	}
	changed := hello.bytes(token)
	changed[9] ^= 1
	ask := make([]byte, 64)
	traffic.Stamp{Kind: traffic.KindAsk, Tag: l.tag}.Put(ask)
	for name, b := range map[string][]byte{
		"nothing":          {},
		"garbage":          bytes.Repeat([]byte{'H'}, greetingSize),
		"another token":    hello.bytes(socket.NewToken()),
		"changed":          changed,
		"longer":           append(hello.bytes(token), 0),
		"shorter":          hello.bytes(token)[:greetingSize-1],
		"another stream":   greeting{step: stepHello, index: 1, dialer: newNonce()}.bytes(token),
		"a forged confirm": greeting{step: stepConfirm, dialer: newNonce(), listening: newNonce()}.bytes(token),
		"a challenge":      greeting{step: stepChallenge, dialer: newNonce()}.bytes(token),
		"an early request": ask,
	} {
		if a := answer(l.conn, b, never); a != nil {
			t.Errorf("%s: answered with %d bytes", name, len(a))
		}
	}
	a := answer(l.conn, hello.bytes(token), surely)
	if len(a) != greetingSize {
		t.Fatalf("a hello of %d bytes is answered with %d", greetingSize, len(a))
	}
	// From another address of this host, with everything right: not the planned one.
	other, err := net.DialUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 9)}, l.conn.RemoteAddr().(*net.UDPAddr))
	if err != nil {
		t.Skip("the loopback has no second address here: ", err)
	}
	defer other.Close()
	if a := answer(other, hello.bytes(token), never); a != nil {
		t.Errorf("an address that is not in the plan is answered with %d bytes", len(a))
	}
	// The connection is established; a second caller with the same token gets nothing.
	if err := greetOther(t.Context(), l.conn, token, 0); err != nil {
		t.Fatal(err)
	}
	late, err := net.DialUDP("udp", nil, l.conn.RemoteAddr().(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	if a := answer(late, hello.bytes(token), never); a != nil {
		t.Errorf("a second caller is answered with %d bytes", len(a))
	}
	p := engineOf(l.end).port
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if engineOf(l.end).wires, err = p.wait(ctx); err != nil {
		t.Fatal(err)
	}
	o, err := engineOf(l.end).outcome(traffic.NewInterval(0, l.end.Setup, 0), nil, nil)
	if err != nil || o.UnauthenticatedPeers < 9 || len(o.Warnings) == 0 {
		t.Errorf("%v; unauthenticated peers and warnings: %+v", err, o)
	}
}

// A lost step of the greeting is retransmitted.
func TestGreetingOverLossyPath(t *testing.T) {
	l := listeningTo(t, "throughput", 400*time.Millisecond)
	drop := map[int]bool{0: true, 2: true, 4: true, 5: true} // of all datagrams, both ways
	relay, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer relay.Close()
	go func() {
		b := make([]byte, 2000)
		var dialer netip.AddrPort
		listener := l.conn.RemoteAddr().(*net.UDPAddr).AddrPort()
		for i := 0; ; i++ {
			n, from, err := relay.ReadFromUDPAddrPort(b)
			if err != nil {
				return
			}
			to := listener
			if from == listener {
				to = dialer
			} else {
				dialer = from
			}
			if !drop[i] {
				relay.WriteToUDPAddrPort(b[:n], to)
			}
		}
	}()
	c, err := net.DialUDP("udp", nil, relay.LocalAddr().(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := greetOther(t.Context(), c, l.end.Ready().Token, 0); err != nil {
		t.Error(err)
	}
}

func TestUDPNobodyThere(t *testing.T) {
	s := udpSetup("throughput", 2)
	s.Side, s.Token = traffic.From, socket.NewToken()
	free, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	port := free.LocalAddr().(*net.UDPAddr).AddrPort().Port()
	free.Close()
	s.Ports = []uint16{port, port}
	var e *failure.Error
	if _, err := table().Prepare(t.Context(), s, nil); !errors.As(err, &e) || e.Code != failure.CodeRefused {
		t.Errorf("a closed port: %v", err)
	}
	s.Side, s.Listen = traffic.To, true
	end, err := table().Prepare(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := engineOf(end).port.wait(ctx); !errors.As(err, &e) || e.Code != failure.CodeTimeout {
		t.Errorf("no sender came: %v", err)
	}
	end, err = table().Prepare(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	if _, err := end.Run(t.Context(), traffic.Now()-int64(time.Hour), func([]traffic.Sample) {}); !errors.As(err, &e) ||
		e.Code != failure.CodeLate {
		t.Errorf("a start that came late: %v", err)
	}
}

func TestCheckTransport(t *testing.T) {
	good := udpSetup("throughput", 1)
	good.Side, good.Listen, good.Size = traffic.To, true, 1472
	if err := table().Check(good); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*traffic.Setup)
		code   string // empty: it is right
	}{
		"jumbo":     {func(s *traffic.Setup) { s.UDP.MTU, s.Size = 9000, 8972 }, ""},
		"fragments": {func(s *traffic.Setup) { s.UDP.Fragment, s.Size = true, 65507 }, ""},
		"least":     {func(s *traffic.Setup) { s.Size = traffic.StampSize }, ""},
		"IPv6": {func(s *traffic.Setup) {
			s.Local, s.Remote, s.Size = netip.IPv6Loopback(),
				netip.IPv6Loopback(), 1452
		}, ""},
		"transport": {func(s *traffic.Setup) { s.Transport = "sctp" }, failure.CodeInput},
		"one above": {func(s *traffic.Setup) { s.Size = 1473 }, failure.CodeLimit},
		"IPv6, one above": {func(s *traffic.Setup) {
			s.Local, s.Remote, s.Size = netip.IPv6Loopback(),
				netip.IPv6Loopback(), 1453
		}, failure.CodeLimit},
		"jumbo, one above": {func(s *traffic.Setup) { s.UDP.MTU, s.Size = 9000, 8973 }, failure.CodeLimit},
		"above UDP":        {func(s *traffic.Setup) { s.UDP.Fragment, s.Size = true, 65508 }, failure.CodeLimit},
		"one below":        {func(s *traffic.Setup) { s.Size = traffic.StampSize - 1 }, failure.CodeLimit},
		"MTU":              {func(s *traffic.Setup) { s.UDP.MTU = 67 }, failure.CodeInput},
		"send":             {func(s *traffic.Setup) { s.UDP.Send = "gro" }, failure.CodeInput},
		"receive":          {func(s *traffic.Setup) { s.UDP.Receive = "gso" }, failure.CodeInput},
		"spin":             {func(s *traffic.Setup) { s.Tuning.Spin = true }, failure.CodeInput},
		"without copies":   {func(s *traffic.Setup) { s.Tuning.Copies = traffic.CopiesNone }, failure.CodeInput},
		"options of TCP":   {func(s *traffic.Setup) { s.Transport, s.UDP.MTU = traffic.TCP, 1500 }, failure.CodeInput},
		"too few ports":    {func(s *traffic.Setup) { s.Listen, s.Token = false, socket.NewToken() }, failure.CodeInput},
	} {
		s := good
		c.change(&s)
		var e *failure.Error
		err := table().Check(s)
		if c.code == "" && err != nil || c.code != "" && (!errors.As(err, &e) || e.Code != c.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for mtu, want := range map[int]unit.Bytes{0: 1472, 1500: 1472, 9000: 8972, 65536: 65507} {
		s := good
		s.Size, s.UDP.MTU = 0, mtu
		if got := datagramSize(s); got != want {
			t.Errorf("default size at MTU %d: %v, want %v", mtu, got, want)
		}
	}
}

func FuzzStamp(f *testing.F) {
	b := make([]byte, 64)
	traffic.Stamp{Kind: traffic.KindData, Interval: true, Index: 2047, Tag: 7, Number: 1 << 40, Time: 5}.Put(b)
	f.Add(b)
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0xff}, traffic.StampSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, ok := traffic.ParseStamp(b)
		if !ok {
			return
		}
		again := make([]byte, traffic.StampSize)
		s.Put(again)
		if !bytes.Equal(again, b[:traffic.StampSize]) || s.Number < 0 {
			t.Errorf("%x is read as %+v", b[:traffic.StampSize], s)
		}
		q := newSequence()
		q.add(s, 0)
		if q.add(s, 1) || q.arrived != 1 {
			t.Errorf("%+v twice: %+v", s, q.arrived)
		}
	})
}

func FuzzGreeting(f *testing.F) {
	token := socket.NewToken()
	f.Add(greeting{step: stepHello, index: 3, dialer: newNonce()}.bytes(token))
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0}, greetingSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		g, ok := parseGreeting(token, b)
		if ok && !bytes.Equal(g.bytes(token), b) {
			t.Errorf("%x is read as %+v", b, g)
		}
	})
}

// Gaps that chance makes scatter as chance does, those of something that drops evenly do not at all; what is late
// leaves a gap all the same.
func TestGaps(t *testing.T) {
	const n = 200_000
	random := rand.New(rand.NewPCG(5, 6))
	for name, c := range map[string]struct {
		lost      func(i int64) bool
		gaps      int64 // 0: any
		low, high float64
	}{
		"none":             {lost: func(int64) bool { return false }},
		"too few":          {lost: func(i int64) bool { return i%(n/10) == 7 }, gaps: 10},
		"each tenth":       {lost: func(i int64) bool { return i%10 == 3 }, gaps: n / 10, high: 1e-9},
		"half of 64":       {lost: func(i int64) bool { return i%64 >= 32 && i < n-64 }, gaps: n/64 - 1, high: 1e-9},
		"a tenth, chance":  {lost: func(int64) bool { return random.Float64() < 0.1 }, low: 0.69, high: 0.77},  // 0.73
		"a fourth, chance": {lost: func(int64) bool { return random.Float64() < 0.25 }, low: 0.41, high: 0.48}, // 0.4444
	} {
		t.Run(name, func(t *testing.T) {
			s := newSequence()
			for i := range int64(n) {
				if !c.lost(i) {
					s.add(traffic.Stamp{Number: i}, 0)
				}
			}
			if got := s.scatter(); got < c.low || got > c.high || c.gaps > 0 && s.gaps != c.gaps {
				t.Errorf("%d gaps that scatter by %v, want %d, %v to %v", s.gaps, got, c.gaps, c.low, c.high)
			}
		})
	}
}

// A reader that pauses at the end of the experiment still gets what its socket holds: only what found no room is
// missing, in every way of taking datagrams.
func TestUDPWhatTheSocketHolds(t *testing.T) {
	testenv.Need(t, testenv.Live) // net.core.rmem_default bounds what a socket holds
	for _, receive := range []string{"", traffic.UDPMmsg, traffic.UDPPlain} {
		t.Run("receive "+receive, func(t *testing.T) {
			const n = 200
			s := udpSetup("throughput", 1)
			s.UDP.Receive = receive
			c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(s.Local, 0)))
			if err != nil {
				t.Fatal(err)
			}
			from, err := net.DialUDP("udp", nil, c.LocalAddr().(*net.UDPAddr))
			if err != nil {
				t.Fatal(err)
			}
			defer from.Close()
			if err := connectUDP(c, from.LocalAddr().(*net.UDPAddr).AddrPort()); err != nil {
				t.Fatal(err)
			}
			s.Side, s.Listen = traffic.To, true
			o := options{Endpoint: traffic.Endpoint{Setup: s}, size: datagramSize(s)}
			w, err := newWire(c, o, 0, "token")
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if w.held() < 0 {
				t.Skip("this system does not say what a socket holds")
			}
			task := newTask(o, traffic.NewInterval(traffic.Now(), s, 0), 0, w)
			b := make([]byte, 64)
			for i := range int64(n) {
				traffic.Stamp{Kind: traffic.KindData, Interval: true, Number: i, Tag: w.tag}.Put(b)
				if _, err := from.Write(b); err != nil {
					t.Fatal(err)
				}
			}
			w.interrupt()
			if err := task.receive(); err != nil {
				t.Fatal(err)
			}
			if got := task.count; got.Arrived != n || got.Received != n || got.Drops == nil || *got.Drops != 0 ||
				got.Reads < 1 {
				t.Errorf("%+v: want all %d", got, n)
			}
			if w.held() != 0 {
				t.Errorf("%d bytes are left", w.held())
			}
		})
	}
}

// table has the engines of UDP.
func table() traffic.Table { return traffic.Table{Stream(), Ping()} }

func engineOf(e *traffic.End) *engine { return e.Engine.(*engine) }

// simulatedPair are two ends with one connection, and the socket of the first.
func simulatedPair(t *testing.T, s traffic.Setup, timeout time.Duration) (from, to *traffic.End, socket *wire) {
	t.Helper()
	at := netip.MustParseAddr("127.0.0.1")
	s.Local, s.Remote, s.SocketsOnly = at, at, true
	entry, err := table().Find(s)
	if err != nil {
		t.Fatal(err)
	}
	a, b := traffictest.NewSimulated(traffictest.Link{}, traffictest.Link{})
	a.Datagram, b.Datagram, a.Timeout, b.Timeout = true, true, timeout, timeout
	end := func(side string, c *traffictest.Simulated) *traffic.End {
		s.Side = side
		return traffic.NewEnd(entry, s, NewSimulated(traffic.Endpoint{Setup: s, Sleep: traffic.SleepUntil},
			s.Method == "latency", []net.Conn{c}))
	}
	from, to = end(traffic.From, a), end(traffic.To, b)
	return from, to, engineOf(from).wires[0]
}

const ms = int64(time.Millisecond)
