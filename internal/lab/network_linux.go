package lab

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/vishvananda/netlink"

	"linerate/internal/lab/layout"
)

// network makes bridges and wires. The ends at bridges go up; those in hosts follow the plan's settings.
func (l *labInit) network(plan *layout.Layout) error {
	mute()
	for _, name := range plan.Switches {
		s, err := newSwitch(name)
		if err != nil {
			return l.refused("switch "+name, err)
		}
		l.byName[name] = s
		l.info.Switches = append(l.info.Switches, name)
		l.did("switch " + name)
	}
	for _, b := range plan.Bridges {
		snooping := false // it would block multicast until there is a querier
		br := &netlink.Bridge{LinkAttrs: netlink.NewLinkAttrs(), MulticastSnooping: &snooping}
		br.Name = b.Name
		err := l.inEnd(layout.WireEnd{Host: b.Switch}, func(nl *netlink.Handle) error {
			if err := nl.LinkAdd(br); err != nil {
				return l.refused(fmt.Sprintf("%s: make a bridge (is CONFIG_BRIDGE in this kernel?)", b.Alias), err)
			}
			nl.LinkSetAlias(br, b.Alias)
			if err := nl.LinkSetUp(br); err != nil {
				return fmt.Errorf("%s: bring up the bridge: %w", b.Alias, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
		l.did("bridge " + b.Name)
	}
	for _, w := range plan.Wires {
		if err := l.wire(w); err != nil {
			return fmt.Errorf("%s: %w", w, err)
		}
		l.did(w.String())
	}
	return nil
}

// mute prevents the calling thread's network namespace from sending packets of its own, because a bridge is not a host.
// A kernel without IPv6 has no such files.
func mute() {
	for _, group := range []string{"all", "default"} {
		os.WriteFile("/proc/sys/net/ipv6/conf/"+group+"/disable_ipv6", []byte("1"), 0)
	}
}

// newSwitch makes a switch without ports: a namespace that forwards and has no address.
func newSwitch(name string) (*host, error) {
	return newThread(name, func(h *host) error {
		if err := h.enter(layout.Node{Name: name}, ""); err != nil {
			return err
		}
		mute()
		return nil
	})
}

func (l *labInit) wire(w layout.Wire) error {
	if l.guestEnd(w.Ends[0]) != nil || l.guestEnd(w.Ends[1]) != nil {
		return l.guestWire(w)
	}
	veth := netlink.NewVeth(netlink.NewLinkAttrs())
	near, far := w.Ends[0], w.Ends[1]
	veth.Name, veth.MTU = near.Interface, near.MTU
	veth.PeerName, veth.PeerMTU = far.Interface, uint32(far.MTU)
	if near.Host != "" {
		veth.Namespace = netlink.NsFd(l.byName[near.Host].netns.Fd())
	}
	if far.Host != "" {
		veth.PeerNamespace = netlink.NsFd(l.byName[far.Host].netns.Fd())
	}
	if err := l.nl.LinkAdd(veth); err != nil {
		return l.refused(
			fmt.Sprintf("make the pair %s, %s (is CONFIG_VETH in this kernel?)", near.Interface, far.Interface), err)
	}
	for i, e := range w.Ends {
		err := l.onEnd(e, func(nl *netlink.Handle, link netlink.Link) error {
			nl.LinkSetAlias(link, e.Alias)
			if e.Bridge != "" {
				br, err := nl.LinkByName(e.Bridge)
				if err != nil {
					return err
				}
				if err := nl.LinkSetMaster(link, br); err != nil {
					return err
				}
			}
			if (e.Host == "" || e.Bridge != "") && !(w.Down && i == 1) {
				return nl.LinkSetUp(link)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("interface %s: %w", e.Interface, err)
		}
	}
	return nil
}

// inEnd runs f where the end's interface is.
func (l *labInit) inEnd(e layout.WireEnd, f func(*netlink.Handle) error) error {
	if e.Host == "" {
		return f(l.nl)
	}
	h := l.byName[e.Host]
	return h.do(func() error { return f(h.nl) })
}

// onEnd runs f on the end's interface.
func (l *labInit) onEnd(e layout.WireEnd, f func(*netlink.Handle, netlink.Link) error) error {
	return l.inEnd(e, func(nl *netlink.Handle) error {
		link, err := nl.LinkByName(e.Interface)
		if err != nil {
			return err
		}
		return f(nl, link)
	})
}

// carrierTimeout bounds the wait for the kernel to notice that both ends of a wire are up: it looks once a second.
const carrierTimeout = 5 * time.Second

// carriers waits until every wire that is up has a carrier. A packet sent before would be lost.
func (l *labInit) carriers(plan *layout.Layout) error {
	deadline := time.Now().Add(carrierTimeout)
	for _, w := range plan.Wires {
		if w.Down && l.guestEnd(w.Ends[0]) != nil {
			continue // it has no cable, and a guest's NIC needs no other end
		}
		up := 0
		for _, e := range w.Ends {
			if l.guestEnd(e) != nil {
				continue // it has a carrier once it is up, and the other end is a tap, which always has one
			}
			err := l.onEnd(e, func(_ *netlink.Handle, link netlink.Link) error {
				if link.Attrs().RawFlags&1 != 0 { // IFF_UP
					up++
				}
				return nil
			})
			if err != nil {
				return fmt.Errorf("%s: interface %s: %w", w, e.Interface, err)
			}
		}
		if up < 2 {
			continue
		}
		for _, e := range w.Ends {
			for {
				err := l.onEnd(e, func(_ *netlink.Handle, link netlink.Link) error {
					if link.Attrs().OperState != netlink.OperUp {
						return errNoCarrier
					}
					return nil
				})
				if err == nil {
					break
				}
				if !errors.Is(err, errNoCarrier) || time.Now().After(deadline) {
					return fmt.Errorf("%s: interface %s: %w", w, e.Interface, err)
				}
				time.Sleep(2 * time.Millisecond)
			}
		}
	}
	return nil
}

var errNoCarrier = errors.New("it is up and has no carrier")
