package collect

import (
	"errors"
	"fmt"
	"os"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/iproute"
	"linerate/internal/facts/parse/lldp"
)

// The files that show that lldpd or systemd-networkd runs: the possible sockets of lldpcli, and networkd's folder of
// links.
var (
	lldpdSockets = []string{"/run/lldpd.socket", "/var/run/lldpd.socket", "/run/lldpd/lldpd.socket"}
	networkdKept = "/run/systemd/netif/links"
)

var errNoLLDP = errors.New("neither lldpd nor systemd-networkd's LLDP is there (Debian: lldpd)")

// lldp adds the neighbours at the other ends of cables: from lldpd if it runs, or else from systemd-networkd. A process
// in a network namespace of its own can still reach the daemons of the machine, which has other interfaces. So they are
// queried only where sysfs shows an adapter of this namespace. Both print cached data and send nothing. root is /sys.
func (c *collector) lldp(root string, links []iproute.Link) {
	own := false
	for _, l := range links {
		own = own || l.Device != "" && sameLink(root+"/class/net/"+l.Name+"/", l)
	}
	if !own {
		c.unknown("lldpctl -f json", errors.New("its interfaces are virtual ones; LLDP on this machine is about the "+
			"machine's own NICs"))
		return
	}
	for _, socket := range lldpdSockets {
		if info, err := os.Stat(socket); err != nil || info.Mode()&os.ModeSocket == 0 {
			continue
		}
		before := len(c.head.Unknown)
		c.read("lldpctl -f json", func() ([]byte, error) { return ask(c.ctx, "lldpd", "lldpctl", "-f", "json") })
		if len(c.head.Unknown) == before {
			c.read("lldpcli -f json show interfaces",
				func() ([]byte, error) { return ask(c.ctx, "lldpd", "lldpcli", "-f", "json", "show", "interfaces") })
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
			err = lldp.ReadNetworkctl(&parse.Builder{Facts: &facts.Facts{}}, nil, out)
		}
		if err != nil { // the folder stays when networkd ends, and exists on systems that never ran it
			return nil, fmt.Errorf("systemd-networkd does not answer, and lldpd is not there (Debian: lldpd); networkctl: %w",
				err)
		}
		return out, nil
	})
}
