package facts

import (
	"strconv"
	"strings"
)

// Conntrack is what the kernel's connection tracking lost.
type Conntrack struct {
	Drop, EarlyDrop uint64 // connections that found the table full, of all processors
	Proof                  // the line with the most of them
}

// readConntrack reads /proc/net/stat/nf_conntrack: names of columns, then a line a processor, in hexadecimal.
// Format: net/netfilter/nf_conntrack_standalone.c, ct_cpu_seq_show. The columns differ by release; their names count.
func readConntrack(f *Facts, _ []string, text []byte) error {
	var names []string
	c := &Conntrack{}
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
				return partial{toolError(text)}
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
			most, c.Proof = sum, f.proof(line)
		}
	}
	if !seen {
		return toolError(text)
	}
	f.Conntrack = c
	return nil
}
