package figures

import (
	"fmt"
	"math"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// overLink reports whether the lowest ceiling is that of a link.
func (c *Claim) overLink() bool { return c.Chain.Layer == record.LayerWire }

// countsFrames matches a figure that counts frames, headers included, which fill the link.
func (c *Claim) countsFrames() *judge.Match {
	limit := c.Chain.Limit
	// A measuring program counts the data that it gets, so that its figure cannot be of frames.
	if c.Tool != "" || !c.overLink() || c.frames <= 0 || c.share() <= 1.005 || c.Rate <= c.plain*1.005 ||
		c.Rate > c.frames*1.002 {
		return nil
	}
	m := c.match(judge.Proved,
		"%v counts frames with their headers, not data: the link carries at most %v of data, and %v "+
			"of frames. The data is about %v.",
		c.Rate, limit, c.frames, c.Rate*max(limit, c.plain)/c.frames)
	m.Evidence = append(m.Evidence, c.evidence("frames", float64(c.frames), "bit/s",
		fmt.Sprintf("frames fill the link at %v, %s of which was read", c.frames, unit.Percent(float64(c.Rate/c.frames)))))
	m.Fix = "nothing to fix: a system's own counter shows frames with their headers, a measuring program the data in them"
	return m
}

// nameOfLink matches a figure that is the nominal rate of the link or the bus, not a measurement.
func (c *Claim) nameOfLink() *judge.Match {
	a, is := c.asked, func(r unit.BitRate, within float64) bool { return r > 0 && math.Abs(float64(c.Rate/r)-1) < within }
	if c.Tool != "" {
		return nil
	}
	say := func(what string) *judge.Match {
		m := c.match(judge.Proved, "%v is %s, not what was carried: data gets at most %v.", c.Rate, what, c.Chain.Limit)
		m.Fix = "say which is meant: the rate that a link signals or is sold by, or the data that went through it"
		if c.frames > 0 && c.Chain.Layer == record.LayerWire {
			m.Fix += fmt.Sprintf(" (at line rate: %v of data, or %v of frames in a system's own counter)", c.Chain.Limit,
				c.frames)
		}
		return m
	}
	if p, err := ceiling.ParsePCIe(a.PCIe, max(a.Payload, 128)); err == nil {
		if k, err := ceiling.KernelRate(p); err == nil && is(k, 2e-5) {
			return say("what Linux prints of PCIe " + a.PCIe + " in its log, with the packets' headers")
		}
	}
	switch {
	case a.WithoutLink || c.Chain.Limit > c.Rate*0.995:
	case a.InfiniBand != "":
		// Data rates of the line codes: 8b/10b up to QDR; FDR and EDR have names near the rate that they signal.
		name := map[string]unit.BitRate{"SDR": 2.5e9, "DDR": 5e9, "QDR": 10e9, "FDR10": 10e9, "FDR": 14e9,
			"EDR": 25e9, "HDR": 50e9, "NDR": 100e9, "XDR": 200e9}[strings.ToUpper(a.InfiniBand)] * unit.BitRate(a.Lanes)
		if is(name, 0.005) {
			return say(fmt.Sprintf("what %s signals on %d lanes or is called by", strings.ToUpper(a.InfiniBand), a.Lanes))
		}
	case is(a.Rate, 0.001):
		return say("the link's own rate")
	}
	return nil
}

// above matches a figure above physics, with the reason as far as it is known.
func (c *Claim) above() *judge.Match {
	low, most := c.lowest(), max(c.Chain.Limit, c.most) // for a bus whose MaxPayload is not known
	if c.Rate <= most*1.01 || c.overLink() && c.Rate <= c.plain*1.005 {
		return nil
	}
	m := c.match(judge.Proved, "%v is impossible: %s allows at most %v.", c.Rate, c.component(), c.Chain.Limit)
	if most > c.Chain.Limit {
		m.Sentence = fmt.Sprintf("%v is impossible: %s allows at most %v (%v with the largest packets of the bus).", c.Rate,
			c.component(), c.Chain.Limit, most)
	}
	m.Fix = "check whether both directions, several links, or tests at different times were added up, and whether the " +
		"link speed is right"
	switch low.Kind {
	case "pcie":
		m.Fix = "check whether the traffic crossed that slot, and the slot's speed (lspci -vv: LnkSta); and whether " +
			"tests at " +
			"different times were added up"
	case "window":
		needed := float64(c.Rate) * c.asked.RTT.Seconds() / 8
		m.Sentence = fmt.Sprintf("%v is impossible with a window of %v: the window was %v or more.", c.Rate,
			c.asked.Interval,
			unit.Bytes(needed))
		m.Evidence = append(m.Evidence, c.evidence("window", needed, "B",
			fmt.Sprintf("%v x %s / 8 = %v under way", c.Rate, unit.Seconds(c.asked.RTT.Seconds()), unit.Bytes(needed))))
		m.Fix = "nothing is wrong with the window; it was larger than said, or there were several connections"
	case "drive":
		if low.Layer != record.LayerBlock {
			return m
		}
		id, buffered := "page-cache-"+c.Way, c.Buffered.Or(false)
		m.Evidence = append(m.Evidence, c.evidence("drive", float64(c.Rate), "bit/s",
			fmt.Sprintf("%s is %s of what goes through its bus (%s)", c.Rate.BytesPerSecond(),
				unit.Percent(float64(c.Rate/c.Chain.Limit)), c.Chain.Limit.BytesPerSecond())))
		m.Fix = "requests past the page cache (fio --direct=1, diskspd -Sh), a file larger than twice the memory, or the " +
			"bytes that the system counts at the drive"
		switch {
		case buffered && (c.Way == "read" || c.Way == "write"):
			m.Limiter, m.Strength = id, judge.Likely
			m.Sentence = fmt.Sprintf("%v did not come from the drive: its bus allows at most %v. Memory took part.", c.Rate,
				c.Chain.Limit)
			m.Evidence = append(m.Evidence, c.evidence("buffered", 1, "", "its requests went through the system's page "+
				"cache, as the output says"))
		default:
			m.Sentence = fmt.Sprintf("%s (%v) is impossible: %s allows at most %s. Memory took part, or it is another drive.",
				c.Rate.BytesPerSecond(), c.Rate, c.Chain.Component, c.Chain.Limit.BytesPerSecond())
			if known, is := c.Buffered.Get(); is && !known {
				m.Sentence = fmt.Sprintf("%s (%v) is impossible: %s allows at most %s, and the page cache was not used.",
					c.Rate.BytesPerSecond(), c.Rate, c.Chain.Component, c.Chain.Limit.BytesPerSecond())
				m.Fix = "look whether the drive has another bus than said, is several drives, or sits behind a controller " +
					"with " +
					"memory of its own"
			}
		}
	}
	return m
}

// reached matches a figure within 3 % of its ceiling.
func (c *Claim) reached() *judge.Match {
	limit, low, share := c.Chain.Limit, c.lowest(), c.share()
	if share < 0.97 {
		return nil
	}
	m := c.match(judge.Proved, "%s is full: %s (%s maximum). Nothing to fix.", capital(c.component()), c.amount(c.Rate),
		c.amount(limit))
	m.Limiter = c.named()
	switch {
	case m.Limiter == "rdma-path-mtu":
		m.Sentence = fmt.Sprintf("RDMA's small packets are the limit: %v (%v maximum, %s of it), not the link itself.",
			c.Rate, limit, unit.Percent(share))
		m.NextCeiling = c.largerPackets()
		m.Fix = "an MTU of 4200 bytes or more at both ends and in every switch, so that RDMA takes its largest packets"
		if c.asked.PathMTU == 0 {
			m.Strength = judge.Likely
		}
	case c.Chain.Layer == record.LayerWire && c.Rate > limit && c.plain > limit:
		m.Sentence = fmt.Sprintf("%s is full: %v (%v maximum, or %v without TCP timestamps). Nothing to fix.",
			capital(c.component()), c.Rate, limit, c.plain)
	case low.Kind == "pcie":
		m.Sentence = fmt.Sprintf("%s is full: %s (%s maximum).", capital(c.component()), c.amount(c.Rate), c.amount(limit))
		m.Fix = pcieFix
	case low.Kind == "drive" && low.Layer == record.LayerBlock && strings.HasPrefix(c.asked.Drive, "sa"):
		m.Sentence = fmt.Sprintf("%s is full: %s (%s maximum). Drives mostly get 90 %% of it, so a cache may have taken "+
			"part.",
			capital(c.component()), c.Rate.BytesPerSecond(), limit.BytesPerSecond())
		m.Strength = judge.Likely
		m.Evidence = append(m.Evidence, c.evidence("drive", share, "share",
			fmt.Sprintf("%s of the bus", unit.Percent(share))))
		if c.binary > limit {
			m.Evidence = append(m.Evidence, c.evidence("unit", float64(c.binary), "bit/s",
				fmt.Sprintf("if GB meant GiB it was %s, which is above the bus", c.binary.BytesPerSecond())))
		}
		m.Fix = "a file larger than twice the memory, and the bytes that the system counts at the drive, show whether it " +
			"was the drive"
	case low.Kind == "window":
		m.Sentence = fmt.Sprintf("The window of %v is full: %v (%v maximum).", c.asked.Interval, c.Rate, limit)
		m.Fix = "a larger window: net.ipv4.tcp_rmem and tcp_wmem, or several connections"
	}
	if m.NextCeiling == "" {
		m.NextCeiling = c.after()
	}
	return m
}
