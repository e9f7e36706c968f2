package lab

import (
	"fmt"

	"github.com/vishvananda/netlink"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/lab/layout"
)

// shape limits both ends of every wire with a known speed.
func (l *labInit) shape(plan *layout.Layout) error {
	for _, w := range plan.Wires {
		if w.Link == "" {
			continue
		}
		if w.Speed <= 0 {
			l.notes.add("link", w.Link, "its speed is unknown, so its rate is not limited")
			continue
		}
		rate, unshaped := layout.ShapedRate(w.Speed, l.info.Scale, w.MTU), false
		for _, e := range w.Ends {
			if g := l.guestEnd(e); g != nil {
				if err := g.shape(e.Interface, rate, w.MTU); err != nil {
					l.notes.add("link", w.Link, "its rate is not limited in guest %s (%v)", g.name, firstLine(err.Error()))
					unshaped = true
				}
				continue
			}
			err := l.onEnd(e, func(nl *netlink.Handle, link netlink.Link) error { return addBucket(nl, link, rate, w.MTU) })
			if err != nil {
				return l.refused(fmt.Sprintf("%s: limit %s to %v (is CONFIG_NET_SCH_TBF in this kernel?)", w, e.Interface, rate),
					err)
			}
		}
		if !unshaped {
			l.info.Shaped = append(l.info.Shaped, w.Link)
		}
	}
	return nil
}

// addBucket makes a token bucket the root discipline of a link.
func addBucket(nl *netlink.Handle, link netlink.Link, rate unit.BitRate, mtu int) error {
	burst, queue := ceiling.Bucket(rate, mtu)
	return AddBucketOf(nl, link, rate, burst, queue)
}

// AddBucketOf is addBucket with this depth and this queue before it, both in bytes.
func AddBucketOf(nl *netlink.Handle, link netlink.Link, rate unit.BitRate, burst, queue uint32) error {
	bytes := float64(rate) / 8
	return nl.QdiscReplace(&netlink.Tbf{
		QdiscAttrs: netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: netlink.MakeHandle(0x11, 0),
			Parent: netlink.HANDLE_ROOT},
		Rate: uint64(bytes + 0.5), Limit: queue + burst,
		// The kernel takes the burst as its time at the rate, in ticks.
		Buffer: uint32(min(float64(burst)/bytes*1e6*netlink.TickInUsec(), 1<<32-1)),
	})
}
