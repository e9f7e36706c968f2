//go:build linux

package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"linerate/internal/traffic"
	"linerate/tools/bench/harness"
	"linerate/tools/bench/wire"
)

// measureLoss has the receiving hosts drop datagrams of the interval and count them.
func (c benchCase) measureLoss(ctx context.Context, w *wire.Net, interval time.Duration) (row, error) {
	var at []*wire.Host
	if c.Direction != traffic.In {
		at = append(at, w.Hosts[1])
	}
	if c.Direction != traffic.Out {
		at = append(at, w.Hosts[0])
	}
	for _, h := range at {
		// The first two bytes of a datagram are its kind (d) and its mark (1: of the interval).
		rule := "add table inet lossy; add chain inet lossy in { type filter hook input priority 0; }; " +
			"add rule inet lossy in meta l4proto udp @th,64,16 0x6401 numgen inc mod " + strconv.Itoa(c.Lost) + " == 0 " +
			"counter drop"
		if err := harness.Command(ctx, "ip", "netns", "exec", h.Name, "nft", rule); err != nil {
			return row{}, err
		}
		defer func() {
			_ = harness.Command(context.WithoutCancel(ctx), "ip", "netns", "exec", h.Name, "nft", "delete table inet lossy")
		}()
	}
	r, err := c.repeat(ctx, w, interval)
	if err != nil {
		return row{}, err
	}
	out := row{Reported: r.Goodput, OtherProcesses: r.OtherProcesses, Warnings: r.Warnings}
	for _, s := range r.Streams {
		if s.Lost == nil || s.Datagrams == nil {
			return row{}, fmt.Errorf("stream %d says nothing of its datagrams", s.Index)
		}
		out.Lost, out.Sent = out.Lost+*s.Lost, out.Sent+*s.Datagrams
		if s.Drops != nil {
			out.Drops += *s.Drops
		}
	}
	for _, h := range at {
		n, err := c.dropped(ctx, h)
		if err != nil {
			return row{}, err
		}
		out.Dropped += n
	}
	return out, nil
}

var counted = regexp.MustCompile(`counter packets (\d+) bytes (\d+)`)

// dropped is how many datagrams the firewall of a host has dropped. It counts packets, and a packet that the kernel
// merged has several datagrams.
func (c benchCase) dropped(ctx context.Context, h *wire.Host) (int64, error) {
	text, err := harness.Output(ctx, "ip", "netns", "exec", h.Name, "nft", "list", "table", "inet", "lossy")
	if err != nil {
		return 0, err
	}
	m := counted.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("nft shows no counter: %s", text)
	}
	packets, _ := strconv.ParseInt(m[1], 10, 64)
	bytes, _ := strconv.ParseInt(m[2], 10, 64)
	return (bytes - packets*int64(c.headers())) / int64(mtu-c.headers()), nil
}
