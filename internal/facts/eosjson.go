package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// eosJSON takes "show interfaces | json" and "show interfaces status | json": the ports are named below interfaces or interfaceStatuses.
func (f *Facts) eosJSON(n *jsonNode) error {
	ports := n.first("interfaces", "interfaceStatuses").members()
	if len(ports) == 0 {
		return toolError([]byte(n.line()))
	}
	for _, p := range ports {
		port := f.eosPort(p.key)
		status := p.first("interfaceStatus", "linkStatus")
		if s := status.str(); s != "" {
			port.eosState(s != "disabled" && s != "adminDown", s == "connected", f.proof(status.line()))
			if s == "errdisabled" {
				f.portDown(port.Name, "", status.line())
			}
		}
		if v, err := strconv.Atoi(p.kid("mtu").str()); err == nil {
			port.MTU = v
			port.proves("mtu", f.proof(p.kid("mtu").line()))
		}
		if v := p.kid("burnedInAddress").str(); v != "" {
			port.MAC = strings.ToLower(v)
		}
		if v, err := strconv.ParseFloat(p.kid("bandwidth").str(), 64); err == nil && v > 0 && v < 1e14 && port.Carrier.Or(false) && port.Kind == "" {
			port.eosSpeed(known(unit.BitRate(v)), strings.ToLower(strings.TrimPrefix(p.kid("duplex").str(), "duplex")), f.proof(p.kid("bandwidth").line()))
		}
		if lag := p.get("memberInterfaces"); lag != nil { // of a Port-Channel
			f.lag(port.Name, port.Carrier.Or(false))
		}
		f.eosJSONCounted(port.Name, p)
	}
	return nil
}

// eosJSONCounted brings the names of the JSON's counters to those of the text. Those of "show interfaces counters" lie one higher.
func (f *Facts) eosJSONCounted(port string, p *jsonNode) {
	c := p.kid("interfaceCounters")
	if c == nil {
		c = p
	}
	seen, lines := map[string]uint64{}, map[string]string{}
	take := func(name string, nodes ...*jsonNode) {
		for _, n := range nodes {
			v, err := strconv.ParseUint(n.str(), 10, 64)
			if err != nil {
				continue
			}
			seen[name] += v
			if lines[name] == "" || v > 0 {
				lines[name] = n.line()
			}
		}
	}
	take("packets input", c.kid("inUcastPkts"), c.kid("inMulticastPkts"), c.kid("inBroadcastPkts"))
	take("packets output", c.kid("outUcastPkts"), c.kid("outMulticastPkts"), c.kid("outBroadcastPkts"))
	take("input discards", c.kid("inDiscards"))
	take("output discards", c.kid("outDiscards"))
	in, out := c.kid("inputErrorsDetail"), c.kid("outputErrorsDetail")
	take("CRC", in.kid("fcsErrors"))
	take("symbol", in.kid("symbolErrors"))
	take("alignment", in.kid("alignmentErrors"))
	take("PAUSE input", in.kid("rxPause"))
	take("PAUSE output", out.kid("txPause"))
	take("link status changes", c.kid("linkStatusChanges"))
	f.eosCounted(port, seen, lines)
}

// readEOSCounters reads "show interfaces counters", also with discards or errors behind it, as JSON or as its tables. Of the JSON there are
// captures (suzieq), of the text none: it is the form of Arista's manual.
func readEOSCounters(f *Facts, _ []string, text []byte) error {
	if eosCounterHead.Match(text) {
		return readEOSCounterTables(f, text)
	}
	n, err := jsonTree(text)
	if err != nil {
		return err
	}
	ports := n.kid("interfaces").members()
	if len(ports) == 0 {
		return toolError(text)
	}
	for _, p := range ports {
		f.eosPort(p.key)
		f.eosJSONCounted(eosName(p.key), p)
	}
	return nil
}
