package agent

import (
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"linerate/internal/host/connect"
	"linerate/internal/testenv"
)

// Types of TLS records (RFC 8446, 5.1).
const (
	recordHandshake = 22
	recordHidden    = 23 // encrypted, whatever it holds
)

// record reads one whole TLS record.
func record(r io.Reader) ([]byte, error) {
	b := make([]byte, 5)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	b = append(b, make([]byte, binary.BigEndian.Uint16(b[3:]))...)
	_, err := io.ReadFull(r, b[5:])
	return b, err
}

// A replay of what one controller has sent is refused.
func TestListenReplay(t *testing.T) {
	l := listenHere(t, authTimeout)
	relay := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer relay.Close()
	said := make(chan []byte, 1)
	go func() {
		in, err := relay.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", l.listener.Addr().String())
		if err != nil {
			return
		}
		go io.Copy(in, out)
		in.SetDeadline(time.Now().Add(time.Minute))
		// Everything that a controller sends, except that the secret is not passed on: hello, then finished and secret,
		// each a record.
		var all []byte
		for hidden := 0; hidden < 2; {
			r, err := record(in)
			if err != nil {
				all = nil
				break
			}
			all = append(all, r...)
			switch r[0] {
			case recordHandshake:
				out.Write(r)
			case recordHidden:
				hidden++
			}
		}
		in.Close()
		out.Close()
		said <- all
	}()
	spec, _ := connect.Parse(l.URL())
	spec.Name = relay.Addr().String()
	if _, err := connect.Open(t.Context(), spec); err == nil {
		t.Fatal("the relay took the controller")
	}
	recorded := <-said
	if len(recorded) == 0 {
		t.Fatal("the controller did not come as far as the secret")
	}
	c := testenv.Must(net.Dial("tcp", l.listener.Addr().String()))(t)
	defer c.Close()
	c.Write(recorded)
	c.SetDeadline(time.Now().Add(time.Minute))
	io.Copy(io.Discard, c)
	client, err := l.open(t.Context())
	if err != nil {
		t.Fatalf("after a replay: %v", err)
	}
	client.Close()
}
