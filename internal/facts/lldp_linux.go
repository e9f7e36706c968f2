package facts

import (
	"errors"
	"fmt"
	"os"
)

// Where lldpd and systemd-networkd are known to run: the socket of lldpcli, by how lldpd was built, and what networkd keeps of links.
var (
	lldpdSockets = []string{"/run/lldpd.socket", "/var/run/lldpd.socket", "/run/lldpd/lldpd.socket"}
	networkdKept = "/run/systemd/netif/links"
)

var errNoLLDP = errors.New("neither lldpd nor systemd-networkd's LLDP is there (Debian: lldpd)")

// lldp asks who was heard at the other ends of cables: lldpd if it runs, else systemd-networkd. A process in a network namespace of
// its own can still reach the daemons of the machine, whose interfaces are others: they are asked only where sysfs shows a card of this one.
// Both print what they have; neither sends anything for it. root is /sys.
func (c *collector) lldp(root string, links []ipLink) {
	own := false
	for _, l := range links {
		own = own || l.Device != "" && sameLink(root+"/class/net/"+l.Name+"/", l)
	}
	if !own {
		c.unknown("lldpctl -f json", errors.New("no interface here has a device: what daemons of the machine say is of its interfaces, not of these"))
		return
	}
	for _, socket := range lldpdSockets {
		if info, err := os.Stat(socket); err != nil || info.Mode()&os.ModeSocket == 0 {
			continue
		}
		before := len(c.head.unknown)
		c.read("lldpctl -f json", func() ([]byte, error) { return ask(c.ctx, "lldpd", "lldpctl", "-f", "json") })
		if len(c.head.unknown) == before {
			c.read("lldpcli -f json show interfaces", func() ([]byte, error) { return ask(c.ctx, "lldpd", "lldpcli", "-f", "json", "show", "interfaces") })
		}
		return
	}
	if _, err := os.Stat(networkdKept); err != nil {
		c.unknown("lldpctl -f json", errNoLLDP)
		return
	}
	c.read("networkctl --no-pager --full lldp", func() ([]byte, error) {
		out, err := ask(c.ctx, "systemd", "networkctl", "--no-pager", "--full", "lldp")
		if err == nil {
			err = readNetworkctl(&Facts{}, nil, out)
		}
		if err != nil { // the folder outlives networkd, and is in images of systems that never ran it
			return nil, fmt.Errorf("systemd-networkd does not answer, and lldpd is not there (Debian: lldpd); networkctl: %w", err)
		}
		return out, nil
	})
}
