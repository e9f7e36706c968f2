package export

import (
	"net"
	"net/netip"
	"testing"
)

func TestConnections(t *testing.T) {
	const text = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0CBC 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 5381 1 0000000000000000 100 0 0 10 0
   1: 0109630A:C8D2 0209630A:33CC 01 00000000:00000000 00:00000000 00000000     0        0 5399 1 0000000000000000 20 4 30 10 -1
   2: 0109630A:C8D4 0209630A:33CC 08 00000000:00000000 00:00000000 00000000     0        0 5401 1 0000000000000000 20 4 30 10 -1
   3: 0109630A:C8D6 0209630A:33CD 01 00000000:00000000 00:00000000 00000000     0        0 5402 1 0000000000000000 20 4 30 10 -1
   4: 0000000000000000FFFF00000109630A:C8D8 0000000000000000FFFF00000209630A:33CC 01 00000000:00000000 00:00000000 00000000     0        0 5403 1 0 20 4 30 10 -1
   5: B80D0120000000000000000001000000:C8DA B80D0120000000000000000002000000:0CBC 01 00000000:00000000 00:00000000 00000000     0        0 5404 1 0 20 4 30 10 -1
`
	for at, want := range map[string]int{"10.99.9.2:13260": 2, "10.99.9.2:13261": 1, "10.99.9.3:13260": 0,
		"[2001:db8::2]:3260": 1} {
		to := netip.MustParseAddrPort(at)
		got := connectionsIn(text, map[netip.AddrPort]int{to: 1})
		if len(got) != want || want > 0 && got[0].remote != to {
			t.Errorf("%s: %v, want %d", at, got, want)
		}
	}
	if got := connectionsIn(text, map[netip.AddrPort]int{netip.MustParseAddrPort("10.99.9.2:13261"): 1}); len(got) != 1 ||
		got[0].local != netip.MustParseAddrPort("10.99.9.1:51414") {
		t.Errorf("%v", got)
	}
}

// Existing connections are queried one by one, and the kernel's lists are read only after a change: four times a second
// they would take milliseconds from the measurement.
func TestMissingConnections(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	at := netip.MustParseAddrPort(ln.Addr().String())
	var near, far []net.Conn
	connect := func() {
		a, err := net.Dial("tcp", at.String())
		if err != nil {
			t.Fatal(err)
		}
		b, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		near, far = append(near, a), append(far, b)
		t.Cleanup(func() { a.Close(); b.Close() })
	}
	connect()
	connect()
	var l connections
	look := func(need, reads int, want bool) {
		t.Helper()
		missing, err := l.missing(map[netip.AddrPort]int{at: need})
		if err != nil || missing != want || l.reads != reads && !l.lists {
			t.Errorf("%d have to be there: missing %v, %v, after %d readings of the lists; want %v after %d", need, missing,
				err, l.reads, want, reads)
		}
	}
	if missing, err := l.missing(nil); missing || err != nil || l.reads != 0 {
		t.Errorf("none has to be there: %v, %v, %d readings", missing, err, l.reads)
	}
	look(2, 1, false)
	if l.lists = !established(l.known[0]); l.lists {
		t.Log("this kernel does not answer about one connection")
	}
	for range 5 {
		look(2, 1, false)
	}
	connect() // one more
	look(3, 2, false)
	look(3, 2, false)
	near[0].Close() // and a connection that was made again
	far[0].Close()
	connect()
	look(3, 3, false)
	look(3, 3, false)
	far[1].Close() // the server is gone, and this end has not closed the connection
	look(3, 4, true)
	look(3, 5, true)
	if len(l.known) != 2 {
		t.Errorf("%v is left", l.known)
	}
}
