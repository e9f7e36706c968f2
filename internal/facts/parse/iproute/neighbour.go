package iproute

import (
	"fmt"
	"net/netip"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// Neighbour is an entry of "ip -j neigh".
type Neighbour struct {
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
// Format: https://man7.org/linux/man-pages/man8/ip-neighbour.8.html, iproute2's ip/ipneigh.c. Snapshots: labs of
// linerate.
func readNeighbours(f *parse.Builder, _ []string, text []byte) error {
	var list []Neighbour
	if trimmed := strings.TrimSpace(string(text)); strings.HasPrefix(trimmed, "[") {
		if err := parse.ParseJSON(text, &list); err != nil {
			return err
		}
	} else {
		for line := range strings.Lines(trimmed) {
			words := strings.Fields(line)
			if len(words) == 0 {
				continue
			}
			e := Neighbour{Dst: words[0], State: words[len(words)-1:]}
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
	out := []facts.Neighbour{}
	for _, e := range list {
		a, err := netip.ParseAddr(e.Dst)
		if err != nil || e.Dev == "" {
			damage = parse.Partial{Err: fmt.Errorf("%.60q is not a neighbour's address with its interface", e.Dst)}
			continue
		}
		n := facts.Neighbour{Address: a, Interface: e.Dev, MAC: strings.ToLower(e.MAC)}
		if len(e.State) > 0 {
			n.State = facts.OneLine(e.State[0])
		}
		line := fmt.Sprintf("%s dev %s lladdr %s %s", a, e.Dev, n.MAC, n.State)
		if n.MAC == "" {
			line = fmt.Sprintf("%s dev %s %s", a, e.Dev, n.State)
		}
		n.Proof = f.Proof(line)
		out = append(out, n)
	}
	if len(out) == 0 && damage != nil {
		return parse.ToolError(text)
	}
	f.Neighbours = out
	return damage
}
