package traffic

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/testenv"
)

// The kernel keeps the rate of a TCP stream, and says so itself; the program does where it is asked to. That the program keeps it, simulated
// time judges. Loopback has no fq: the program paces datagrams, and says why.
func TestPaceBy(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	const rate = 80e6
	s := Setup{Method: "stream", Direction: Out, Streams: 2, Window: 300 * time.Millisecond, Pace: rate}
	kernel, program, datagrams := s, s, s
	kernel.PaceBy, program.PaceBy, datagrams.Transport = PaceByKernel, PaceByProgram, UDP
	for i, r := range pairs(t, time.Second, s, kernel, program, datagrams) {
		want := []string{PaceByKernel, PaceByKernel, PaceByProgram, PaceByProgram}[i]
		if got := r.from.InEffect; got.PaceBy != want || (got.PaceWhy != "") != (i == 3) || r.to.InEffect.PaceBy != "" {
			t.Errorf("%d: paced by %q because %q; at the other end %q", i, got.PaceBy, got.PaceWhy, r.to.InEffect.PaceBy)
		}
		for _, e := range r.from.Streams {
			if i == 3 {
				continue
			}
			if m := e.Socket.MaxPacingRate; (m != nil) != (want == PaceByKernel) || m != nil && *m != rate {
				t.Errorf("%d: the kernel's limit is %v", i, m)
			}
		}
		if e := r.from.InEffect; i == 3 && (!strings.Contains(e.PaceWhy, "fq only; lo has") || e.PaceSpread != "") {
			t.Errorf("%+v", e)
		}
	}
}

// That the kernel must pace datagrams is refused where it cannot.
func TestPaceDatagrams(t *testing.T) {
	testenv.Need(t, testenv.Live)
	at := netip.MustParseAddr("127.0.0.1")
	s := Setup{Method: "stream", Direction: Out, Streams: 1, Window: time.Second, Pace: 80e6, PaceBy: PaceByKernel, Transport: UDP, Local: at, Remote: at}
	w := &udpTask{task: &task{setup: s}, udp: &udpWire{}}
	var e *Error
	if err := w.spread(); !errors.As(err, &e) || e.Code != CodeUnsupported || !strings.Contains(e.Text, "pace_by program") {
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
	for _, m := range [][]byte{
		message(1, 0, tcRoot, "noqueue"), message(2, 0x10000, tcRoot, "fq"), message(2, 0xffff0000, tcIngress, "ingress"),
		message(3, 0x10000, tcRoot, "mq"), message(3, 0, 0x10001, "fq"), message(3, 0, 0x10002, "fq"), message(3, 0xffff0000, tcIngress, "clsact"),
		message(4, 0x10000, tcRoot, "mq"), message(4, 0, 0x10001, "fq"), message(4, 0, 0x10002, "fq_codel"),
	} {
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
