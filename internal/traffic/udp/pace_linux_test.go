package udp

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/internal/traffic/tcp"
	"linerate/internal/traffic/traffictest"
)

// The kernel keeps the rate of a TCP stream, and reports it; with pace_by the program does. (TestSimulatedPace shows
// that it keeps it.) Loopback has no fq: the program paces datagrams, and the outcome says why.
func TestPaceBy(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	const rate = 80e6
	s := traffic.Setup{Method: "throughput", Direction: traffic.Out, Streams: 2, Interval: 300 * time.Millisecond,
		Pace: rate}
	kernel, program, datagrams := s, s, s
	kernel.PaceBy, program.PaceBy, datagrams.Transport = traffic.PaceByKernel, traffic.PaceByProgram, traffic.UDP
	for i, r := range traffictest.Pairs(t, traffic.Table{tcp.Stream(), Stream()}, time.Second, s, kernel, program,
		datagrams) {
		want := []string{traffic.PaceByKernel, traffic.PaceByKernel, traffic.PaceByProgram, traffic.PaceByProgram}[i]
		if got := r.From.InEffect; got.PaceBy != want || (got.PaceWhy != "") != (i == 3) || r.To.InEffect.PaceBy != "" {
			t.Errorf("%d: paced by %q because %q; at the other end %q", i, got.PaceBy, got.PaceWhy, r.To.InEffect.PaceBy)
		}
		for _, e := range r.From.Streams {
			if i == 3 {
				continue
			}
			if m := e.Socket.MaxPacingRate; (m != nil) != (want == traffic.PaceByKernel) || m != nil && *m != rate {
				t.Errorf("%d: the kernel's limit is %v", i, m)
			}
		}
		if e := r.From.InEffect; i == 3 && (!strings.Contains(e.PaceWhy, "fq only; lo has") || e.PaceSpread != "") {
			t.Errorf("%+v", e)
		}
	}
}

// Where the kernel cannot pace datagrams, a setup that demands it is refused before the interval begins.
func TestPaceDatagrams(t *testing.T) {
	testenv.Need(t, testenv.Live)
	s := traffictest.Setup("throughput", 1)
	s.Side, s.Pace, s.PaceBy, s.Transport = traffic.From, 80e6, traffic.PaceByKernel, traffic.UDP
	engine := NewSimulated(traffic.Endpoint{Setup: s}, false, []net.Conn{nil})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := traffic.Execution{Interval: traffic.NewInterval(traffic.Now()+int64(time.Hour), s, 0), Watch: ctx,
		Fail: func(error) {}}
	var e *failure.Error
	if _, err := engine.Run(ctx, x); !errors.As(err, &e) || e.Code != failure.CodeUnsupported ||
		!strings.Contains(e.Text, "pace_by program") {
		t.Errorf("%v", err)
	}
}

// message is one netlink message with a queueing discipline.
func message(index int32, handle, parent uint32, kind string) []byte {
	attr := append([]byte(kind), 0)
	n := unix.SizeofNlMsghdr + tcmsgSize + 4 + len(attr)
	b := make([]byte, (n+3)&^3)
	binary.NativeEndian.PutUint32(b, uint32(n))
	binary.NativeEndian.PutUint16(b[4:], unix.RTM_NEWQDISC)
	body := b[unix.SizeofNlMsghdr:]
	binary.NativeEndian.PutUint32(body[4:], uint32(index))
	binary.NativeEndian.PutUint32(body[8:], handle)
	binary.NativeEndian.PutUint32(body[12:], parent)
	binary.NativeEndian.PutUint16(body[tcmsgSize:], uint16(4+len(attr)))
	binary.NativeEndian.PutUint16(body[tcmsgSize+2:], tcaKind)
	copy(body[tcmsgSize+4:], attr)
	return b
}

func TestSpacing(t *testing.T) {
	var b []byte
	for _, m := range [][]byte{message(1, 0, tcRoot, "noqueue"), message(2, 0x10000, tcRoot, "fq"),
		message(2, 0xffff0000, tcIngress, "ingress"), message(3, 0x10000, tcRoot, "mq"), message(3, 0, 0x10001, "fq"),
		message(3, 0, 0x10002, "fq"), message(3, 0xffff0000, tcIngress, "clsact"), message(4, 0x10000, tcRoot, "mq"),
		message(4, 0, 0x10001, "fq"), message(4, 0, 0x10002, "fq_codel")} {
		b = append(b, m...)
	}
	all, done, err := parseQdiscs(b)
	if err != nil || done || len(all) != 10 {
		t.Fatal(all, done, err)
	}
	for index, want := range map[int32][]string{1: {"noqueue"}, 2: {"fq"}, 3: {"fq"}, 4: {"fq", "fq_codel"}, 5: nil} {
		if got := spacing(all, index); !reflect.DeepEqual(got, want) {
			t.Errorf("interface %d: %v, want %v", index, got, want)
		}
	}
}

// The queueing disciplines of this system's loopback are read.
func TestQdiscsHere(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if have, err := qdiscs(); err != nil || len(spacing(have, 1)) == 0 {
		t.Errorf("of this system: %v, %v", have, err)
	}
}

func FuzzQdiscs(f *testing.F) {
	f.Add(message(1, 0, tcRoot, "fq"))
	f.Add([]byte{16, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		all, _, err := parseQdiscs(b)
		if err == nil && len(all) > len(b)/(unix.SizeofNlMsghdr+tcmsgSize) {
			t.Errorf("%d disciplines in %d bytes", len(all), len(b))
		}
	})
}
