package parse

import (
	"strconv"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// readConntrack reads /proc/net/stat/nf_conntrack: names of columns, then one line per CPU, in hexadecimal. Format:
// net/netfilter/nf_conntrack_standalone.c, ct_cpu_seq_show. The columns differ by release and are found by name.
func readConntrack(f *parse.Builder, _ []string, text []byte) error {
	var names []string
	c := &facts.Conntrack{}
	most, seen := uint64(0), false
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if names == nil {
			names = words
			continue
		}
		if len(words) != len(names) {
			continue
		}
		sum := uint64(0)
		for i, name := range names {
			v, err := strconv.ParseUint(words[i], 16, 64)
			if err != nil {
				return parse.Partial{Err: parse.ToolError(text)}
			}
			switch name {
			case "drop":
				c.Drop += v
				sum += v
				seen = true
			case "early_drop":
				c.EarlyDrop += v
				sum += v
			}
		}
		if c.Line == "" || sum > most {
			most, c.Proof = sum, f.Proof(line)
		}
	}
	if !seen {
		return parse.ToolError(text)
	}
	f.Conntrack = c
	return nil
}
