package doctor

import (
	"strings"
)

var topicSlots = Topic{
	ID: "pcie", Why: "a card in a slot that is too narrow or came up slow carries a fraction, whatever the network does",
	host: func(g *Gathered, h *Host) []Line {
		if h.Facts == nil || h.Facts.PCI == nil {
			return []Line{notKnown("the bus was not read")}
		}
		cards, unknown := 0, 0
		for _, d := range h.Facts.PCI {
			if !strings.HasPrefix(d.Class, "02") { // network controllers
				continue
			}
			if d.Width.IsKnown() && d.Speed.IsKnown() {
				cards++
			} else {
				unknown++
			}
		}
		fine := ok("%d network cards, each with all lanes and the speed that both ends of its slot can", cards)
		switch {
		case cards == 1:
			fine = ok("the network card has all lanes and the speed that both ends of its slot can")
		case cards+unknown == 0:
			fine = ok("no network card hangs on PCI Express here")
		case cards == 0:
			fine = notKnown("the network cards do not say what their slot runs at, as a virtual machine's do not")
		}
		lines := g.findings(h, fine, "pcie-degraded", "pcie-upstream", "pcie-idle-downclock")
		for i := range lines {
			if lines[i].Do != nil && h.OS == "linux" {
				lines[i].Do = []string{h.root("lspci -vv | grep -e Ethernet -e LnkCap: -e LnkSta:"), "# " + strings.TrimPrefix(lines[i].Do[0], "sudo ")} // hands have to do it
			}
		}
		return lines
	},
}
