package figures

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// others adds candidates: ceilings of the same link with one thing changed that the figure is near. Each is a single
// piece of evidence, so none is a verdict.
func (c *Claim) others() {
	at := func(rate, limit unit.BitRate) bool {
		return limit > 0 && limit < c.Chain.Limit*0.99 && rate >= limit*0.97 && rate <= limit*1.01
	}
	near := func(limit unit.BitRate) bool { return at(c.Rate, limit) }
	share := func(limit unit.BitRate) string { return unit.Percent(float64(c.Rate / limit)) }
	a := c.asked
	if strings.HasPrefix(c.transport.Name, "roce") && a.PathMTU == 0 {
		for _, m := range ceiling.PathMTUs {
			if l := c.limit(func(a *path.Asked) { a.PathMTU = int(m) }); near(l) {
				c.perhaps("rdma-path-mtu", "%s of what packets of %d bytes allow (%v): look at active_mtu, and at the MTU of "+
					"both ends and every switch", share(l), int(m), l)
			}
		}
	}
	if segment, ok := c.Segment.Get(); ok && c.segment > 0 {
		if float64(c.segment) > segment*1.1 {
			c.perhaps("mtu-one-sided", "its packets carried %.0f bytes on average, and an MTU of %d allows %d: a smaller "+
				"MTU, or small messages", segment, c.MTU, c.segment)
		}
	} else if (c.transport.Name == "tcp" || c.transport.Name == "udp") && a.Frame.MTU > 1500 && a.IO == 0 &&
		len(c.Predictions) == 0 {
		if l := c.limit(func(a *path.Asked) { a.Frame.MTU = 1500 }); near(l) {
			c.perhaps("mtu-one-sided", "%s of what an MTU of 1500 allows (%v)", share(l), l)
		}
	}
	if a.InfiniBand == "" && !a.WithoutLink {
		for _, r := range []unit.BitRate{100e6, 1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 50e9, 100e9, 200e9} {
			if r >= a.Rate {
				break
			}
			if l := c.limit(func(a *path.Asked) { a.Rate = r }); near(l) {
				c.perhaps("link-speed", "%s of what a link of %v allows (%v): look at the speed of every port on the way",
					share(l),
					r, l)
			} else if at(c.binary, l) {
				c.perhaps("link-speed",
					"if MB are 2^20 bytes, as Windows counts, it is %v, %s of what a link of %v allows (%v): "+
						"look at the speed of every port on the way", c.binary, unit.Percent(float64(c.binary/l)), r, l)
			}
		}
	}
	if a.RTT > 0 && a.Interval == 0 && c.transport.Name == "tcp" {
		streams := max(1, len(c.Streams))
		interval := float64(c.Rate) / float64(streams) * a.RTT.Seconds() / 8
		c.Verdict.Evidence = append(c.Verdict.Evidence, c.evidence("window", interval, "B",
			fmt.Sprintf("%v a connection at a round trip of %s needs %v under way; 64 KiB would carry %v",
				c.Rate/unit.BitRate(streams), unit.Seconds(a.RTT.Seconds()), unit.Bytes(interval),
				unit.BitRate(8*65536/a.RTT.Seconds()))))
		if interval > 60_000 && interval < 66_000 {
			c.perhaps("window-scaling-off", "each connection has %v under way, which is the window without scaling",
				unit.Bytes(interval))
		}
	}
	c.losses()
	if c.routed {
		c.perhaps("switch-cpu-forwarding", "it went through a router or a routing switch, whose CPU may forward it "+
			"packet by packet (in RouterOS: l3-hw-offloading off)")
	}
	if c.OneByOne {
		c.perhaps(record.LimiterOneConnection, "one message at a time; several under way carry more")
	}
}

// manyLost is the share of lost packets above which loss is suspected.
const manyLost = 0.001

// losses adds what the output says of lost packets.
func (c *Claim) losses() {
	v := c.Verdict
	if lost, ok := c.Lost.Get(); ok && lost > 0 {
		v.Evidence = append(v.Evidence, c.evidence("lost", lost, "share",
			fmt.Sprintf("of %v sent, %s of the datagrams did not arrive", c.Sent, unit.Percent(lost))))
		if lost >= manyLost {
			v.Sentence = fmt.Sprintf("%s of the datagrams were lost: %v was sent, %v arrived.", unit.Percent(lost),
				c.Sent, c.Rate)
			c.perhaps("udp-socket-overflow", "the receiver's socket or ring is too small, or a switch drops: compare the "+
				"counters of both ends (nstat UdpRcvbufErrors, ethtool -S)")
		}
	}
	n, ok := c.Retransmits.Get()
	if !ok || n <= 0 {
		return
	}
	text := fmt.Sprintf("%d segments were retransmitted", n)
	segment := float64(c.MaxSegment.Or(c.segment))
	sent := 0.0
	if segment > 0 {
		sent = float64(c.Rate) * c.Seconds / 8 / segment
	}
	if sent > float64(n) {
		text += fmt.Sprintf(", about %s of all", unit.Percent(float64(n)/sent))
		if float64(n)/sent >= manyLost {
			c.perhaps("random-loss", "about %s of all segments were retransmitted: look for drops in the receiver's ring, "+
				"pause frames, and full buffers of a switch", unit.Percent(float64(n)/sent))
		}
	}
	v.Evidence = append(v.Evidence, c.evidence("retransmits", float64(n), "segments", text))
}

// stalls adds the cause of a measurement whose first packets arrived and nothing after them.
func (c *Claim) stalls() {
	v := c.Verdict
	v.Sentence = "Nothing arrived after the first packets."
	v.Evidence = append(v.Evidence, c.evidence("stalled", 0, "bit/s", c.Stalled+"; then nothing"))
	c.perhaps("mtu-black-hole",
		"small packets arrive and large ones do not: something on the path drops packets of this "+
			"size. Test it: ping -M do -s 8972 HOST (for MTU 9000), then with 1472")
	v.NextExperiment = "ping -M do -s 8972 HOST   (1472 for MTU 1500: the largest size that is answered is the path's " +
		"MTU less 28)"
}

// next returns the command that would settle what the figure leaves open.
func (c *Claim) next() string {
	switch {
	case c.asked.WithoutLink && c.asked.PCIe == "" || c.Way != "" && c.asked.WithoutLink:
		return c.tryDrive()
	case c.routed:
		return "linerate measure throughput HOST --direction out,in between two hosts of one subnet; and the router's " +
			"CPU while the routed one runs"
	case strings.HasPrefix(c.transport.Name, "roce") || c.transport.Name == "ib":
		return "ib_write_bw -a -q 4 --report_gbits HOST at both ends, then linerate explain FILE; and linerate " +
			"facts of both, for the bus and the MTU in effect"
	}
	switch c.transport.Name {
	case "smb", "smb-encrypted", "nfs":
		return "linerate measure storage --to FOLDER --profile cdm   with a FOLDER of the mounted share; then the same " +
			"with --from \"ssh HOST\" and a FOLDER of the drive on the machine that serves it; the difference is what the " +
			"way between takes (a file is made there, and removed)"
	case "iscsi", "nvme-tcp":
		return "linerate measure storage --to DEVICE --load SEQ1M-Q8T1,SEQ1M-Q1T1 --read 100%   with the device as this " +
			"machine has it; then the same with --from \"ssh HOST\" and the drive on the machine that serves it; the " +
			"difference is what the way between takes (it is only read)"
	}
	return "linerate measure throughput HOST --streams 1,8 --direction out,in   (both ends' CPUs, sockets and " +
		"counters are read with it)"
}
