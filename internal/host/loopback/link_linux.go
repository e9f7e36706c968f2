package loopback

import (
	"fmt"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// linkPatience bounds the wait for a link: training and FEC of fast ports take seconds.
	linkPatience = 30 * time.Second
	// connectPatience bounds the wait for the first datagram.
	connectPatience = 5 * time.Second
	// saidAfter is the time after which the wait for a link is reported.
	saidAfter = 2 * time.Second
)

// ended reports whether the controller has finished or died.
func (o *owner) ended() bool {
	select {
	case <-o.end:
		return true
	default:
		return false
	}
}

// carrier waits until both ports have a link.
func (o *owner) carrier() error {
	begun, reported := time.Now(), false
	for {
		var without []string
		for _, r := range o.rooms {
			link, err := r.nl.LinkByName(r.port.Name)
			if err != nil {
				return fmt.Errorf("%s: in its namespace: %w", r.port.Name, err)
			}
			if link.Attrs().RawFlags&unix.IFF_LOWER_UP == 0 {
				without = append(without, r.port.Name)
			}
		}
		switch took := time.Since(begun); {
		case len(without) == 0:
			return nil
		case o.ended():
			return errEnded
		case took > linkPatience && len(without) == 1:
			return fmt.Errorf(
				"%s has no link after %v, the other port has one: they are not joined with each other; cable port to port",
				without[0], linkPatience)
		case took > linkPatience:
			return fmt.Errorf(
				"%s and %s have no link after %v; is the cable in both ports, do both take it (linerate facts --local), and "+
					"have they a speed and a FEC in common?", without[0], without[1], linkPatience)
		case took > saidAfter && !reported:
			reported = true
			o.out.Encode(said{
				Text: fmt.Sprintf("waiting for a link between %s and %s, at most %v", o.rooms[0].port.Name, o.rooms[1].port.Name,
					linkPatience),
			})
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// reached sends a datagram from one port to the other.
func (o *owner) reached() error {
	var conns [2]*net.UDPConn
	for i, r := range o.rooms {
		// A socket belongs to the namespace in which it was made.
		err := o.within(r.file, func() (err error) {
			conns[i], err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(Address(i).Addr(), 0)))
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", r.port.Name, err)
		}
		defer conns[i].Close()
	}
	to := conns[1].LocalAddr()
	buffer := make([]byte, 64)
	for end := time.Now().Add(connectPatience); time.Now().Before(end); {
		if o.ended() {
			return errEnded
		}
		conns[0].WriteTo([]byte("linerate"), to) // a refusal shows in the next call: only received data counts
		conns[1].SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		if n, _, err := conns[1].ReadFrom(buffer); err == nil && string(buffer[:n]) == "linerate" {
			return nil
		}
	}
	return fmt.Errorf(
		"%s and %s have a link, and nothing gets from one to the other in %v: is each of them cabled to something else, "+
			"such as a switch?", o.rooms[0].port.Name, o.rooms[1].port.Name, connectPatience)
}
