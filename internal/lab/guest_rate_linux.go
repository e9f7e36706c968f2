package lab

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/lab/layout"
)

// guestScale lowers the calibrated scale to one that guests can carry: a guest is much slower than two namespaces. A
// requested scale stays.
func (l *labInit) guestScale() error {
	if l.order.Scale != 0 {
		return nil
	}
	rate, err := l.calibrateGuests()
	if err != nil {
		l.notes.add("", "",
			"what a guest carries is not known (%v): the scale is that of namespaces and may be too large for guests",
			firstLine(err.Error()))
	}
	switch {
	case rate == 0 && l.info.Calibrated == 0: // all hosts are guests, and none carries data
		return l.namespaceScale()
	case rate == 0 || l.info.Calibrated > 0 && rate >= l.info.Calibrated:
		return nil
	}
	l.scaleBy(rate, "a guest moves")
	return nil
}

// calibrateGuests measures one TCP stream from a guest to a host of the same subnet; 0 if there is none.
func (l *labInit) calibrateGuests() (unit.BitRate, error) {
	hosts := l.order.Layout.Hosts
	for _, from := range hosts {
		g := l.guests[from.Name]
		if g == nil || g.gone() != nil {
			continue
		}
		for _, to := range hosts {
			if far := l.guests[to.Name]; to.Name == from.Name || far != nil && far.gone() != nil {
				continue
			}
			if at, ok := sharedSubnet(from, to); ok {
				return l.guestRate(g, to.Name, at)
			}
		}
	}
	return 0, nil
}

// sharedSubnet returns an address of `to` that `from` reaches over a link of its own.
func sharedSubnet(from, to layout.Node) (netip.Addr, bool) {
	for _, a := range from.Settings {
		for _, b := range to.Settings {
			if a.Kind == plan.SetAddress && b.Kind == plan.SetAddress && a.Prefix.Masked() == b.Prefix.Masked() {
				return b.Prefix.Addr(), true
			}
		}
	}
	return netip.Addr{}, false
}

// guestRate measures the rate from a guest to another host, which may be a guest or a namespace.
func (l *labInit) guestRate(from *guestHost, to string, at netip.Addr) (unit.BitRate, error) {
	address := netip.AddrPortFrom(at, 0).String()
	if far := l.guests[to]; far != nil {
		var there, got guestTransferred
		if err := far.call(opReceive, guestTransfer{Address: address}, &there); err != nil {
			return 0, err
		}
		if err := from.call(opSend, guestTransfer{Address: there.Address}, nil); err != nil {
			return 0, err
		}
		err := far.call(opRate, guestTransfer{}, &got)
		return unit.BitRate(got.Rate), err
	}
	var listener net.Listener
	err := l.byName[to].do(func() (err error) {
		listener, err = net.Listen("tcp", address)
		return err
	})
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	result := make(chan guestTransferred, 1)
	go func() { result <- receiveRate(listener) }()
	if err := from.call(opSend, guestTransfer{Address: listener.Addr().String()}, nil); err != nil {
		return 0, err
	}
	return unit.BitRate((<-result).Rate), nil
}

// transfer is one end of the calibration in a guest.
func (g *guestInit) transfer(op string, q guestTransfer) (out guestTransferred, err error) {
	switch op {
	case opReceive:
		if g.listen != nil {
			return out, errors.New("a calibration is under way already")
		}
		if g.listen, err = net.Listen("tcp", q.Address); err != nil {
			return out, err
		}
		g.rate = make(chan guestTransferred, 1)
		go func() { g.rate <- receiveRate(g.listen) }()
		return guestTransferred{Address: g.listen.Addr().String()}, nil
	case opSend:
		return out, sendFor(q.Address)
	}
	if g.listen == nil {
		return out, errors.New("nothing was received")
	}
	defer func() {
		g.listen.Close()
		g.listen = nil
	}()
	select {
	case out = <-g.rate:
		return out, nil
	case <-time.After(callTimeout / 2):
		return out, fmt.Errorf("nothing arrived on %s", g.listen.Addr())
	}
}

// sendFor sends for the duration of a calibration.
func sendFor(address string) error {
	conn, err := net.DialTimeout("tcp", address, callTimeout/2)
	if err != nil {
		return err
	}
	defer conn.Close()
	end := time.Now().Add(calibrateWarmup + calibrateTime)
	conn.SetDeadline(end.Add(callTimeout / 4))
	for buf := make([]byte, calibrateBuffer/8); time.Now().Before(end); {
		if _, err := conn.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// receiveRate accepts one connection and returns its receive rate after the warm-up.
func receiveRate(listener net.Listener) (out guestTransferred) {
	conn, err := listener.Accept()
	if err != nil {
		return out
	}
	defer conn.Close()
	begin, total := time.Now(), 0
	var first, last time.Time
	for buf := make([]byte, calibrateBuffer/8); ; {
		n, err := conn.Read(buf)
		now := time.Now()
		switch {
		case first.IsZero() && now.Sub(begin) >= calibrateWarmup:
			first = now
		case !first.IsZero():
			total, last = total+n, now
		}
		if err != nil {
			break
		}
	}
	if span := last.Sub(first); total > 0 && span > 0 {
		out.Rate = float64(total) * 8 / span.Seconds()
	}
	return out
}
