package lab

import (
	"fmt"
	"slices"
	"time"

	"github.com/vishvananda/netlink"

	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/lab/layout"
)

// The MTUs that a veth accepts: an IPv4 host needs 576 (RFC 791).
const (
	smallestMTU = 576
	largestMTU  = 65535
)

// mtuTimeout bounds a change of the MTU.
const mtuTimeout = 10 * time.Second

// SetMTU gives every link of a path another MTU, at both of its ends, adapts the rate of its shaper, and returns the
// function that undoes it. Nothing else in the lab changes.
func SetMTU(id string, p plan.Path, mtu int) (back func() error, err error) {
	dir, state, err := connect.FindLab(id)
	if err != nil {
		return nil, err
	}
	before := map[int][]string{} // names of links by their previous MTU
	var names []string
	for _, l := range p.Links {
		names = append(names, l.Name)
		before[l.MTU] = append(before[l.MTU], l.Name)
	}
	set := func(links []string, mtu int) error {
		return ask(dir, connect.LabRequest{Token: state.Token, Op: "mtu", Links: links, MTU: mtu}, mtuTimeout)
	}
	if err := set(names, mtu); err != nil {
		return nil, fmt.Errorf("lab %s: %w", id, err)
	}
	return func() error {
		for mtu, links := range before {
			if err := set(links, mtu); err != nil {
				return fmt.Errorf("lab %s: %w", id, err)
			}
		}
		return nil
	}, nil
}

// setMTU is SetMTU in the lab's init.
func (l *labInit) setMTU(links []string, mtu int) error {
	if mtu < smallestMTU || mtu > largestMTU {
		return fmt.Errorf("MTU %d: a link of the lab takes %d to %d", mtu, smallestMTU, largestMTU)
	}
	done := 0
	for _, w := range l.order.Layout.Wires {
		if w.Link == "" || !slices.Contains(links, w.Link) {
			continue
		}
		done++
		for _, e := range w.Ends {
			if g := l.guestEnd(e); g != nil {
				if err := g.setMTU(e.Interface, mtu, w.Speed, l.info.Scale); err != nil {
					return fmt.Errorf("MTU %d on %s: %w", mtu, e.Interface, err)
				}
				continue
			}
			err := l.onEnd(e, func(nl *netlink.Handle, link netlink.Link) error {
				if err := nl.LinkSetMTU(link, mtu); err != nil {
					return err
				}
				if w.Speed <= 0 {
					return nil
				}
				return addBucket(nl, link, layout.ShapedRate(w.Speed, l.info.Scale, mtu), mtu)
			})
			if err != nil {
				return fmt.Errorf("MTU %d on %s: %w", mtu, e.Interface, err)
			}
		}
	}
	if done == 0 {
		return fmt.Errorf("MTU %d: the lab has none of the links %v", mtu, links)
	}
	return nil
}
