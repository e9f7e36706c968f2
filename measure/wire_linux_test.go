package measure

import (
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"linerate/unit"
)

// wires are the two ends of a connection.
func wires(t *testing.T) (a, b *wire) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	var out [2]*wire
	for i, c := range []net.Conn{near, far} {
		if out[i], err = newWire(c.(*net.TCPConn), "test"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(out[i].close)
	}
	return out[0], out[1]
}

// After calls in vain fewer are made, and all of them again once one finds something.
func TestEager(t *testing.T) {
	var e eager
	left := func() (n int) {
		for ; !e.worth(); n++ {
		}
		return n
	}
	var got []int
	for range 7 {
		e.was(false)
		got = append(got, left())
	}
	if want := []int{1, 3, 7, 15, 31, 31, 31}; !slices.Equal(got, want) {
		t.Errorf("left out %v calls, want %v", got, want)
	}
	e.was(true)
	if n := left(); n != 0 {
		t.Errorf("%d calls left out after one that found something", n)
	}
}

// A receiver that pauses loses nothing, sees the end, and takes one message with each read.
func TestReadsThatPause(t *testing.T) {
	a, b := wires(t)
	if err := b.rest(300 * time.Microsecond); err != nil {
		t.Fatal(err)
	}
	const size, rounds = 512, 200
	go func() {
		m := make([]byte, size)
		for i := range rounds {
			for j := range m {
				m[j] = byte(i)
			}
			if _, err := a.Write(m); err != nil {
				return
			}
			if i%16 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		_ = a.closeWrite()
	}()
	at, buf := 0, make([]byte, size)
	for {
		n, err := b.Read(buf)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range buf[:n] {
			if v != byte(at/size) {
				t.Fatalf("byte %d is %d", at, v)
			}
			at++
		}
	}
	if at != size*rounds {
		t.Errorf("%d bytes, want %d", at, size*rounds)
	}
}

// A write that fits is known not to have slept; one that does not fit is known to have.
func TestSlept(t *testing.T) {
	a, b := wires(t)
	if _, err := a.Write(make([]byte, 512)); err != nil || a.slept() {
		t.Errorf("the first message slept: %v, %v", a.slept(), err)
	}
	drained := make(chan bool)
	slept := false
	go func() {
		defer close(drained)
		time.Sleep(100 * time.Millisecond)
		_, _ = io.Copy(io.Discard, b)
	}()
	for sent := 0; sent < int(64*unit.MiB) && !slept; sent += 4096 {
		if _, err := a.Write(make([]byte, 4096)); err != nil {
			t.Fatal(err)
		}
		slept = a.slept()
	}
	_ = a.closeWrite()
	<-drained
	if !slept {
		t.Error("no write slept at a receiver that does not read for 100 ms")
	}
}
