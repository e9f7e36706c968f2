package parse

import (
	"cmp"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

// eosJSON reads "show interfaces | json" and "show interfaces status | json": the ports are below interfaces or
// interfaceStatuses.
func eosJSON(f *parse.Builder, n *parse.JSONNode) error {
	ports := n.First("interfaces", "interfaceStatuses").Members()
	if len(ports) == 0 {
		return parse.ToolError([]byte(n.Line()))
	}
	for _, p := range ports {
		port := eosPort(f, p.Key)
		status := p.First("interfaceStatus", "linkStatus")
		if s := status.Str(); s != "" {
			show.SetState(port, s != "disabled" && s != "adminDown", s == "connected", f.Proof(status.Line()))
			if s == "errdisabled" {
				portDown(f, port.Name, "", status.Line())
			}
		}
		if v, err := strconv.Atoi(p.Kid("mtu").Str()); err == nil {
			port.MTU = v
			port.Proves("mtu", f.Proof(p.Kid("mtu").Line()))
		}
		if v := p.Kid("burnedInAddress").Str(); v != "" {
			port.MAC = strings.ToLower(v)
		}
		if v, err := strconv.ParseFloat(p.Kid("bandwidth").Str(), 64); err == nil && v > 0 && v < 1e14 &&
			port.Carrier.Or(false) && port.Kind == "" {
			eosSpeed(port, unit.Known(unit.BitRate(v)), strings.ToLower(strings.TrimPrefix(p.Kid("duplex").Str(), "duplex")),
				f.Proof(p.Kid("bandwidth").Line()))
		}
		if lag := p.Get("memberInterfaces"); lag != nil { // of a Port-Channel
			show.KeepLAG(f, port.Name, port.Carrier.Or(false))
		}
		eosJSONCounted(f, port.Name, p)
	}
	return nil
}

// eosJSONCounted converts the JSON's counter names to those of the text. Those of "show interfaces counters" are one
// level higher.
func eosJSONCounted(f *parse.Builder, port string, p *parse.JSONNode) {
	c := cmp.Or(p.Kid("interfaceCounters"), p)
	seen, lines := map[string]uint64{}, map[string]string{}
	take := func(name string, nodes ...*parse.JSONNode) {
		for _, n := range nodes {
			v, err := strconv.ParseUint(n.Str(), 10, 64)
			if err != nil {
				continue
			}
			seen[name] += v
			if lines[name] == "" || v > 0 {
				lines[name] = n.Line()
			}
		}
	}
	take("packets input", c.Kid("inUcastPkts"), c.Kid("inMulticastPkts"), c.Kid("inBroadcastPkts"))
	take("packets output", c.Kid("outUcastPkts"), c.Kid("outMulticastPkts"), c.Kid("outBroadcastPkts"))
	take("input discards", c.Kid("inDiscards"))
	take("output discards", c.Kid("outDiscards"))
	in, out := c.Kid("inputErrorsDetail"), c.Kid("outputErrorsDetail")
	take("CRC", in.Kid("fcsErrors"))
	take("symbol", in.Kid("symbolErrors"))
	take("alignment", in.Kid("alignmentErrors"))
	take("PAUSE input", in.Kid("rxPause"))
	take("PAUSE output", out.Kid("txPause"))
	take("link status changes", c.Kid("linkStatusChanges"))
	eosCounted(f, port, seen, lines)
}

// ReadEOSCounters reads "show interfaces counters", also with discards or errors after it, as JSON or tables. Snapshots
// of the JSON exist (suzieq); the tables follow Arista's manual.
func ReadEOSCounters(f *parse.Builder, _ []string, text []byte) error {
	if eosCounterHead.Match(text) {
		return readEOSCounterTables(f, text)
	}
	n, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	ports := n.Kid("interfaces").Members()
	if len(ports) == 0 {
		return parse.ToolError(text)
	}
	for _, p := range ports {
		eosPort(f, p.Key)
		eosJSONCounted(f, eosName(p.Key), p)
	}
	return nil
}
