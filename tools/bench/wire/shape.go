//go:build linux

package wire

import (
	"context"
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/lab"
)

// Shape is a limit of links. Queue and Burst, in bytes, are the least of both; the lab's own are taken where they are more.
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
		// Packets of at most half a millisecond, as TCP makes them by itself where it paces: the bytes then come evenly.
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
	return max(1, min(mostSegments, int(float64(rate)/8*0.0005)/mtu))
}

// mostSegments is the kernel's GSO_MAX_SEGS.
const mostSegments = 65535

// SendBuffer bounds the send buffer of every TCP connection that is opened from now on, in bytes; 0: as the kernel does.
func (w *Net) SendBuffer(ctx context.Context, most int) error {
	if most == 0 {
		most = 4 << 20
	}
	for _, h := range w.Hosts {
		value := fmt.Sprintf("4096 %d %d", min(16<<10, most), most)
		if err := Command(ctx, "ip", "netns", "exec", h.Name, "sh", "-c", "echo "+value+" >/proc/sys/net/ipv4/tcp_wmem"); err != nil {
			return err
		}
	}
	return nil
}

// Unshape takes the limits away.
func (w *Net) Unshape(mtu int) error {
	for _, p := range w.ports {
		if err := p.handle.LinkSetGSOMaxSegs(p.link, mostSegments); err != nil {
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
