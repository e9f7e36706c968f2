package measure

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"linerate/unit"
)

// The kernel keeps the rate of a TCP stream, and says so itself; the program does where it is asked to.
func TestPaceBy(t *testing.T) {
	for _, by := range []string{"", PaceByKernel, PaceByProgram} {
		const rate = 80e6
		undisturbed(t, func() error {
			from, to := pairDrain(t, Setup{Method: "stream", Direction: Out, Streams: 2, Warmup: 300 * time.Millisecond, Window: 600 * time.Millisecond, Pace: rate, PaceBy: by}, 5*time.Second)
			ended := Now()
			want := by
			if by == "" {
				want = PaceByKernel
			}
			if got := from.InEffect.PaceBy; got != want || from.InEffect.PaceWhy != "" || to.InEffect.PaceBy != "" {
				t.Errorf("%q: paced by %q because %q; at the other end %q", by, got, from.InEffect.PaceWhy, to.InEffect.PaceBy)
			}
			begin := from.OpenNS - int64(300*time.Millisecond)
			for i, s := range from.Streams {
				if m := s.Socket.MaxPacingRate; (m != nil) != (want == PaceByKernel) || m != nil && *m != rate {
					t.Errorf("%q: the kernel's limit is %v", by, m)
				}
				// What a busy machine held up goes out later, and then more than the rate may come in the window; never since the beginning.
				g := over(to.Streams[i].Received, begin, ended)
				if g > 1.1*rate {
					t.Errorf("%q: stream %d carried %v since the beginning; want %v", by, i, unit.BitRate(g), unit.BitRate(rate))
				}
			}
			t.Logf("%q: %v", by, unit.BitRate(to.Goodput/2))
			if g := to.Goodput / 2; g > 1.1*rate || g < 0.5*rate { // a busy machine may send less
				return fmt.Errorf("%q: a stream carried %v in the window; want %v", by, unit.BitRate(g), unit.BitRate(rate))
			}
			return nil
		})
	}
}

// Loopback has no fq: the program paces datagrams, and says why; that the kernel must is refused.
func TestPaceDatagrams(t *testing.T) {
	at := netip.MustParseAddr("127.0.0.1")
	s := Setup{Method: "stream", Direction: Out, Streams: 1, Warmup: 20 * time.Millisecond, Window: 200 * time.Millisecond, Pace: 80e6, Transport: UDP, Local: at, Remote: at}
	from, _ := pair(t, s)
	if e := from.InEffect; e.PaceBy != PaceByProgram || !strings.Contains(e.PaceWhy, "fq only; lo has") || e.PaceSpread != "" {
		t.Errorf("%+v", e)
	}
	w := &udpTask{task: &task{setup: s}, udp: &udpWire{}}
	w.setup.PaceBy = PaceByKernel
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
