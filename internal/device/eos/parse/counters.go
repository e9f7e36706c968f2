package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts/parse"
)

// eosCounterHead matches the headers of the tables of "show interfaces counters", "counters discards" and "counters
// errors".
var eosCounterHead = lazyregexp.New(`(?m)^Port\s+(?:InOctets\s+InUcastPkts|OutOctets\s+OutUcastPkts|InDiscards\s+OutDiscards|FCS\s+Align\s+Symbol)\b`)

// eosColumns are the columns to keep, by the names of "show interfaces".
var eosColumns = map[string]string{"InUcastPkts": "packets input", "InMcastPkts": "packets input",
	"InBcastPkts": "packets input", "OutUcastPkts": "packets output", "OutMcastPkts": "packets output",
	"OutBcastPkts": "packets output", "InDiscards": "input discards", "OutDiscards": "output discards", "FCS": "CRC",
	"Symbol": "symbol", "Align": "alignment"}

// readEOSCounterTables reads tables one below the other, each with a header "Port ..": a row is a port with a count for
// each column. It ignores rows with another number of columns, and totals.
//
//	Port                  FCS    Align   Symbol       Rx    Runts   Giants       Tx
//	Et1                     0        0        0        0        0        0        0
func readEOSCounterTables(f *parse.Builder, text []byte) error {
	var head, ports []string
	seen, lines := map[string]map[string]uint64{}, map[string]map[string]string{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) > 1 && words[0] == "Port":
			head = words
			continue
		case head == nil || len(words) != len(head) || words[0][0] < 'A' || words[0] == "Totals":
			continue
		}
		port := eosName(words[0])
		if seen[port] == nil {
			seen[port], lines[port] = map[string]uint64{}, map[string]string{}
			ports = append(ports, words[0])
		}
		for i, w := range words[1:] {
			name := eosColumns[head[i+1]]
			v, err := strconv.ParseUint(w, 10, 63)
			if name == "" || err != nil {
				continue
			}
			seen[port][name] += v
			lines[port][name] = line
		}
	}
	for _, p := range ports {
		n := eosPort(f, p)
		eosCounted(f, n.Name, seen[n.Name], lines[n.Name])
	}
	if len(ports) == 0 {
		return parse.ToolError(text)
	}
	return nil
}
