package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// ethtoolChannels are a device's queues in use, and how many it can have; -1 where the output has no number.
type ethtoolChannels struct{ RX, TX, Combined, MostRX, MostCombined int }

// parseEthtoolChannels reads "ethtool -l X": what there can be, then what there is.
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
		return c, toolError(text)
	}
	return c, nil
}

// receive is the number of receive queues: those for receiving and those for both.
func (c ethtoolChannels) receive() unit.Opt[int] {
	if n := max(c.RX, 0) + max(c.Combined, 0); n > 0 {
		return known(n)
	}
	return unit.Unknown[int]("the driver says that it has none")
}

// most is the largest number of receive queues that the device can have.
func (c ethtoolChannels) most() unit.Opt[int] {
	if n := max(c.MostRX, 0) + max(c.MostCombined, 0); n > 0 {
		return known(n)
	}
	return unit.Unknown[int]("the driver does not say how many it can have")
}
