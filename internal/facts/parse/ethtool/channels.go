package ethtool

import (
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts/parse"
)

// ethtoolChannels are a device's queues in use, and the most that it supports; -1 if the output has no number.
type ethtoolChannels struct{ RX, TX, Combined, MostRX, MostCombined int }

// parseEthtoolChannels reads "ethtool -l X": the maximums, then the current settings.
//
//	Pre-set maximums:
//	RX:             n/a
//	Combined:       63
//	Current hardware settings:
//	RX:             0
//	TX:             0
//	Other:          n/a
//	Combined:       8
//
// Format: https://man7.org/linux/man-pages/man8/ethtool.8.html
func parseEthtoolChannels(text []byte) (ethtoolChannels, error) {
	c := ethtoolChannels{-1, -1, -1, -1, -1}
	current := false
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		if strings.HasPrefix(key, "Current hardware settings") {
			current = true
		}
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 16)
		if err != nil {
			continue
		}
		if !current {
			switch strings.TrimSpace(key) {
			case "RX":
				c.MostRX = int(n)
			case "Combined":
				c.MostCombined = int(n)
			}
			continue
		}
		switch strings.TrimSpace(key) {
		case "RX":
			c.RX = int(n)
		case "TX":
			c.TX = int(n)
		case "Combined":
			c.Combined = int(n)
		}
	}
	if c.RX < 0 && c.Combined < 0 {
		return c, parse.ToolError(text)
	}
	return c, nil
}

// receive returns the number of receive queues: those for receiving and combined ones.
func (c ethtoolChannels) receive() unit.Opt[int] {
	if n := max(c.RX, 0) + max(c.Combined, 0); n > 0 {
		return unit.Known(n)
	}
	return unit.Unknown[int]("the driver says that it has none")
}

// most returns the largest number of receive queues that the device supports.
func (c ethtoolChannels) most() unit.Opt[int] {
	if n := max(c.MostRX, 0) + max(c.MostCombined, 0); n > 0 {
		return unit.Known(n)
	}
	return unit.Unknown[int]("the driver does not say how many it can have")
}
