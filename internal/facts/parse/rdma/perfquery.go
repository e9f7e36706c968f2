package rdma

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var perfqueryHead = lazyregexp.New(`^# (?:Port|Port extended|PortRcvErrorDetails) counters: (Lid \d+) port (\d+)`)

// fabricMeanings are the counters of InfiniBand's PortCounters by their names in perfquery and ibqueryerrors.
var fabricMeanings = map[string]struct {
	what facts.Counted
	sent bool
}{
	"SymbolErrorCounter":       {facts.BadFrames, false},
	"PortRcvErrors":            {facts.BadFrames, false},
	"LinkDownedCounter":        {facts.LinkDowns, false},
	"PortXmitDiscards":         {facts.SendDrops, true},
	"PortRcvSwitchRelayErrors": {facts.ReceiveDrops, false},
	"PortLocalPhysicalErrors":  {facts.BadFrames, false},
	"PortBufferOverrunErrors":  {facts.NoBuffer, false},
}

// readPerfquery reads "perfquery", with -x, -a or without: ports of any device of the fabric, by LID. Port 0 of an
// adapter is all of its ports. It also reads -E, the kinds of receive errors. Dots separate counters from values.
// Format: rdma-core's infiniband-diags/perfquery.c, libibmad's dump.c.
//
//	# Port extended counters: Lid 2052 port 1 (CapMask: 0x5300 CapMask2: 0x0000002)
//	PortRcvPkts:.....................387654829341
func readPerfquery(f *parse.Builder, _ []string, text []byte) error {
	type said struct {
		value uint64
		line  string
	}
	subject, seen := "", false
	port := map[string]said{}
	var order []string
	flush := func() {
		moved := func(name string) unit.Opt[uint64] {
			if s, ok := port[name]; ok && s.value > 0 {
				return unit.Known(s.value)
			}
			return unit.Unknown[uint64]("the port's packets are not in the text")
		}
		for _, name := range order {
			if m, ok := fabricMeanings[name]; ok {
				f.Counts = append(f.Counts, facts.Count{What: m.what, Subject: subject, Value: port[name].value,
					Of: moved(map[bool]string{true: "PortXmitPkts", false: "PortRcvPkts"}[m.sent]), Proof: f.Proof(port[name].line)})
			}
		}
		port, order = map[string]said{}, nil
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "# Port") {
			flush()
			subject = ""
			if m := perfqueryHead.FindStringSubmatch(line); m != nil {
				subject = strings.ToLower(m[1]) + " port " + m[2]
			}
			seen = true
			continue
		}
		name, value, ok := strings.Cut(line, ":.")
		if !ok || subject == "" {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimLeft(value, "."), 10, 64)
		if _, twice := port[name]; err == nil && !twice {
			port[name] = said{n, line}
			order = append(order, name)
		}
	}
	flush()
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

var (
	queryErrorsHead = lazyregexp.New(`^Errors for (?:0x[0-9a-f]+ )?"([^"]*)"`)
	queryErrorsPort = lazyregexp.New(`^GUID 0x[0-9a-f]+ port (\S+):`)
	queryErrorsItem = lazyregexp.New(`\[(\w+) == (\d+)`)
)

// readIbqueryerrors reads "ibqueryerrors": ports of the whole fabric with errors. Format: rdma-core's
// infiniband-diags/ibqueryerrors.c and its man page; no snapshot exists.
//
//	Errors for "leaf1"
//	   GUID 0x2c9020040f160 port 7: [SymbolErrorCounter == 1032] [PortRcvErrors == 12]
func readIbqueryerrors(f *parse.Builder, _ []string, text []byte) error {
	node, seen := "", false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := queryErrorsHead.FindStringSubmatch(line); m != nil {
			node, seen = strings.TrimSpace(m[1]), true
			continue
		}
		seen = seen || strings.HasPrefix(line, "## Summary:")
		m := queryErrorsPort.FindStringSubmatch(line)
		if m == nil || m[1] == "ALL" { // the sum of the node's ports
			continue
		}
		for _, item := range queryErrorsItem.FindAllStringSubmatch(line, -1) {
			meaning, ok := fabricMeanings[item[1]]
			n, err := strconv.ParseUint(item[2], 10, 64)
			if ok && err == nil {
				f.Counted(meaning.what, node+" port "+m[1], n, unit.Unknown[uint64]("ibqueryerrors names no packets"), line)
			}
		}
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}
