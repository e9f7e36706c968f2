package figures

import (
	"fmt"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/explain/judge"
)

// component is the lowest ceiling in a sentence: "the link", "PCIe 1.1 x8 (receiving)", "the drive's sata3 bus".
func (c *Claim) component() string {
	name := pcieLanes.ReplaceAllString(c.Chain.Component, "$1 x$2")
	switch before, after, ok := strings.Cut(name, ", "); {
	case name == "link":
		return "the link"
	case ok && before == "bus of the drive":
		return "the drive's " + after + " bus"
	case ok && strings.HasPrefix(name, "PCIe "):
		return before + " (" + after + ")"
	}
	return name
}

var pcieLanes = lazyregexp.New(`^(PCIe \d\.\d)x(\d+)`)

// fillsBus matches a figure at the ceiling of a bus for one packet size or another.
func (c *Claim) fillsBus() *judge.Match {
	share := c.share()
	if c.lowest().Kind != "pcie" || c.most <= 0 || c.Rate < c.least*0.97 || share >= 0.97 && share <= 1.01 &&
		c.most <= c.least*1.03 {
		return nil
	}
	m := c.match(judge.Likely, "%v is what %s allows: %v to %v, by how much of a packet its MaxPayload leaves for data.",
		c.Rate, c.Chain.Component, c.least, c.most)
	m.Evidence = append(m.Evidence, c.evidence("payload", float64(c.least), "bit/s",
		fmt.Sprintf("with a MaxPayload of 128 to 512 bytes the bus carries %v to %v; the next ceiling is %s", c.least,
			c.most,
			c.after())))
	m.Fix = pcieFix
	m.NextCeiling = c.after()
	return m
}

const pcieFix = "look at the NIC's bus under load (lspci -vv: LnkSta, LnkCap, MaxPayload): more lanes or a higher " +
	"generation, another slot, a riser or contacts that are cleaned"
