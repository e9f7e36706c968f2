package facts

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Neighbour is what a host has learned, or was told, of who has an address on the network of an interface.
type Neighbour struct {
	Address   netip.Addr
	Interface string
	MAC       string // empty: nobody answered
	// State is the kernel's word: REACHABLE, DELAY and PROBE were confirmed a short while ago, STALE was so once, PERMANENT was set by hand.
	State string
	Proof
}

// Fresh says whether the answer is of this minute or so, and not one of a card that may have been changed since, or that somebody set.
func (n Neighbour) Fresh() bool {
	return n.MAC != "" && slices.Contains([]string{"REACHABLE", "DELAY", "PROBE"}, n.State)
}

// ipNeighbour is an entry as "ip -j neigh" prints it.
type ipNeighbour struct {
	Dst   string   `json:"dst"`
	Dev   string   `json:"dev"`
	MAC   string   `json:"lladdr,omitempty"`
	State []string `json:"state"`
}

// readNeighbours reads "ip neigh": its JSON (-j), or its text:
//
//	10.9.1.2 dev fast lladdr 02:00:00:00:01:02 REACHABLE
//	10.9.1.9 dev fast FAILED
//
// Format: https://man7.org/linux/man-pages/man8/ip-neighbour.8.html, iproute2's ip/ipneigh.c. The captures behind it are of this program's own labs.
func readNeighbours(f *Facts, _ []string, text []byte) error {
	var list []ipNeighbour
	if trimmed := strings.TrimSpace(string(text)); strings.HasPrefix(trimmed, "[") {
		if err := parseJSON(text, &list); err != nil {
			return err
		}
	} else {
		for line := range strings.Lines(trimmed) {
			words := strings.Fields(line)
			if len(words) == 0 {
				continue
			}
			e := ipNeighbour{Dst: words[0], State: words[len(words)-1:]}
			for i := 1; i+1 < len(words); i++ {
				switch words[i] {
				case "dev":
					e.Dev = words[i+1]
				case "lladdr":
					e.MAC = words[i+1]
				}
			}
			list = append(list, e)
		}
	}
	var damage error
	out := []Neighbour{}
	for _, e := range list {
		a, err := netip.ParseAddr(e.Dst)
		if err != nil || e.Dev == "" {
			damage = partial{fmt.Errorf("%.60q is no neighbour's address with its interface", e.Dst)}
			continue
		}
		n := Neighbour{Address: a, Interface: e.Dev, MAC: strings.ToLower(e.MAC)}
		if len(e.State) > 0 {
			n.State = oneLine(e.State[0])
		}
		line := fmt.Sprintf("%s dev %s lladdr %s %s", a, e.Dev, n.MAC, n.State)
		if n.MAC == "" {
			line = fmt.Sprintf("%s dev %s %s", a, e.Dev, n.State)
		}
		n.Proof = f.proof(line)
		out = append(out, n)
	}
	if len(out) == 0 && damage != nil {
		return toolError(text)
	}
	f.Neighbours = out
	return damage
}

// Neighbour is what a host knows of an address on the network of an interface.
func (f *Facts) Neighbour(nic string, a netip.Addr) (Neighbour, bool) {
	i := slices.IndexFunc(f.Neighbours, func(n Neighbour) bool { return n.Interface == nic && n.Address == a })
	if i < 0 {
		return Neighbour{}, false
	}
	return f.Neighbours[i], true
}
