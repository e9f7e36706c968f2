//go:build linux

package wire

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/lab"
)

// Shape is a limit of links. Queue and Burst are minimums in bytes: where a lab's own queue and burst are larger, they
// hold.
type Shape struct {
	Rate         unit.BitRate
	MTU          int
	Queue, Burst uint32
}

// Shape limits every link in both directions.
func (w *Net) Shape(s Shape) error {
	burst, queue := ceiling.Bucket(s.Rate, s.MTU)
	burst, queue = max(burst, s.Burst), max(queue, s.Queue)
	for _, p := range w.ports {
		if err := p.handle.LinkSetMTU(p.link, s.MTU); err != nil {
			return fmt.Errorf("MTU of %s: %w", p.name, err)
		}
		// TCP that paces makes packets of at most half a millisecond; with such packets the bytes arrive evenly.
		if err := p.handle.LinkSetGSOMaxSegs(p.link, segments(s.Rate, s.MTU)); err != nil {
			return fmt.Errorf("segments of %s: %w", p.name, err)
		}
		if err := lab.AddBucketOf(p.handle, p.link, s.Rate, burst, queue); err != nil {
			return fmt.Errorf("limit %s to %v: %w", p.name, s.Rate, err)
		}
	}
	return nil
}

func segments(rate unit.BitRate, mtu int) int {
	return max(1, min(maxSegments, int(float64(rate)/8*0.0005)/mtu))
}

// maxSegments is the kernel's GSO_MAX_SEGS.
const maxSegments = 65535

// LimitSendBuffer limits the send buffer of every TCP connection that opens from now on to so many bytes; 0 is the
// kernel's own limit.
func (w *Net) LimitSendBuffer(limit int) error {
	if limit == 0 {
		limit = 4 << 20
	}
	for _, h := range w.Hosts {
		if err := h.setTCP("wmem", fmt.Sprintf("4096 %d %d", min(16<<10, limit), limit)); err != nil {
			return err
		}
	}
	return nil
}

// Unshape removes the limits and sets the MTU of every link.
func (w *Net) Unshape(mtu int) error {
	for _, p := range w.ports {
		if err := p.handle.LinkSetGSOMaxSegs(p.link, maxSegments); err != nil {
			return fmt.Errorf("segments of %s: %w", p.name, err)
		}
		if err := p.handle.LinkSetMTU(p.link, mtu); err != nil {
			return fmt.Errorf("MTU of %s: %w", p.name, err)
		}
		all, err := p.handle.QdiscList(p.link)
		if err != nil {
			return err
		}
		for _, q := range all {
			if q.Type() == "tbf" {
				if err := p.handle.QdiscDel(q); err != nil {
					return fmt.Errorf("take the limit of %s away: %w", p.name, err)
				}
			}
		}
	}
	return nil
}
