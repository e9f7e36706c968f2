package lab

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/lab/layout"
)

const (
	calibrateWarmup = 100 * time.Millisecond
	calibrateTime   = 300 * time.Millisecond
	calibrateBuffer = 1 << 20
	calibrateMTU    = 1500
	// calibrateRate is above the rate of any machine through one veth pair, so that the bucket is active and never limits.
	calibrateRate = 1000 * unit.GigabitPerSecond
)

// chooseScale sets the lab's scale: the requested one, or the largest at which this machine has reserve times the
// needed rate.
func (l *labInit) chooseScale() error {
	if l.info.Busy == 0 {
		for _, w := range l.order.Layout.Wires {
			if w.Link != "" {
				l.info.Busy = max(l.info.Busy, 2*w.Speed)
			}
		}
	}
	if l.info.Scale = l.order.Scale; l.info.Scale != 0 {
		return nil
	}
	if !slices.ContainsFunc(l.order.Layout.Hosts, func(n layout.Node) bool { return !n.Guest }) {
		return nil // the rate of guests decides, which is known when they are up
	}
	return l.namespaceScale()
}

// namespaceScale sets the scale by the rate between two namespaces.
func (l *labInit) namespaceScale() error {
	rate, err := l.calibrate()
	if err != nil {
		return l.refused("calibrate: one TCP stream between two namespaces", err)
	}
	l.scaleBy(rate, "it moves")
	return nil
}

// scaleBy sets the scale by a measured rate; moves names what was measured.
func (l *labInit) scaleBy(rate unit.BitRate, moves string) {
	scale, enough := layout.ChooseScale(rate, l.info.Busy)
	l.info.Calibrated, l.info.Scale = rate, scale
	if !enough {
		l.notes.add("", "", "scale %s: even so this machine may be too slow, %s %v", unit.Scale(scale), moves, rate)
	}
}

// calibrate measures one TCP stream from a namespace of its own to the init's, through a token bucket that never
// limits.
func (l *labInit) calibrate() (unit.BitRate, error) {
	near, far := "cal0", "cal1"
	nearIP, farIP := netip.MustParsePrefix("169.254.77.1/30"), netip.MustParsePrefix("169.254.77.2/30")
	sender, err := newThread("calibration", func(h *host) error { return h.unshare(unix.CLONE_NEWNET) })
	if err != nil {
		return 0, err
	}
	defer sender.close()
	w := layout.Wire{Ends: [2]layout.WireEnd{
		{Interface: near, MTU: calibrateMTU},
		{Host: sender.name, Interface: far, MTU: calibrateMTU},
	}}
	l.byName[sender.name] = sender
	defer delete(l.byName, sender.name)
	if err := l.wire(w); err != nil {
		return 0, err
	}
	receiver := &host{nl: l.nl}
	defer receiver.onLink(plan.Setting{Interface: near}, l.nl.LinkDel)
	if err := receiver.ready(near, nearIP); err != nil {
		return 0, err
	}
	err = sender.do(func() error {
		if _, err := sender.tune(); err != nil {
			return err
		}
		return sender.ready(far, farIP)
	})
	if err != nil {
		return 0, err
	}
	if err := l.carriers(&layout.Layout{Wires: []layout.Wire{w}}); err != nil {
		return 0, err
	}
	return transfer(sender, nearIP.Addr())
}

// ready gives an end its address and a token bucket.
func (h *host) ready(name string, prefix netip.Prefix) error {
	return h.onLink(plan.Setting{Interface: name}, func(link netlink.Link) error {
		if err := h.address(link, plan.Setting{Prefix: prefix}); err != nil {
			return err
		}
		if err := addBucket(h.nl, link, calibrateRate, calibrateMTU); err != nil {
			return fmt.Errorf("token bucket (is CONFIG_NET_SCH_TBF in this kernel?): %w", err)
		}
		return h.nl.LinkSetUp(link)
	})
}

// transfer sends from the host to a listener in the init's namespace and returns the receive rate after the warm-up.
func transfer(from *host, to netip.Addr) (unit.BitRate, error) {
	listener, err := net.Listen("tcp", netip.AddrPortFrom(to, 0).String())
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	deadline := time.Now().Add(calibrateWarmup + calibrateTime + 5*time.Second)
	listener.(*net.TCPListener).SetDeadline(deadline)
	var out net.Conn
	err = from.do(func() (err error) { // a socket belongs to the namespace of the thread that makes it
		out, err = net.DialTimeout("tcp", listener.Addr().String(), 5*time.Second)
		return err
	})
	if err != nil {
		return 0, err
	}
	defer out.Close()
	in, err := listener.Accept()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	in.SetDeadline(deadline)
	out.SetDeadline(deadline)
	go func() {
		for buf := make([]byte, calibrateBuffer); ; {
			if _, err := out.Write(buf); err != nil {
				return
			}
		}
	}()
	var total int
	var first time.Time
	begin, buf := time.Now(), make([]byte, calibrateBuffer)
	for {
		n, err := in.Read(buf)
		now := time.Now()
		switch {
		case err != nil:
			return 0, err
		case first.IsZero() && now.Sub(begin) >= calibrateWarmup:
			first = now // the interval begins with a read's time stamp and ends with one
		case !first.IsZero():
			total += n
			if span := now.Sub(first); span >= calibrateTime {
				if total == 0 {
					return 0, errors.New("nothing arrived")
				}
				return unit.BitRate(float64(total) * 8 / span.Seconds()), nil
			}
		}
	}
}
