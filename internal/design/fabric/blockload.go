package fabric

import (
	"regexp"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// BlockLoad is a load of the method storage in one word, order, block, depth and threads: SEQ1M-Q8T1.
type BlockLoad struct {
	Order          string  // SEQ, RND or MIX
	Random         float64 // share of random requests: 0 of SEQ, 1 of RND, 0.8 of MIX80
	Block          string  // as written: 1M
	Size           unit.Bytes
	Depth, Threads int // depth is per thread
}

var blockLoad = regexp.MustCompile(`^(SEQ|RND|MIX(\d{1,2})-)((\d{1,6})([BKM]))-Q(\d{1,5})T(\d{1,4})$`)

// ParseBlockLoad reads a load. Only linerate's own profiles have blocks in bytes (RND512B-Q1T1); files write K or M.
func ParseBlockLoad(text string) (BlockLoad, bool) {
	m := blockLoad.FindStringSubmatch(text)
	if m == nil {
		return BlockLoad{}, false
	}
	l := BlockLoad{Order: m[1][:3], Block: m[3]}
	switch share, _ := strconv.Atoi(m[2]); { // only digits, as all below
	case l.Order == "RND":
		l.Random = 1
	case l.Order == "MIX" && share == 0:
		return BlockLoad{}, false
	default:
		l.Random = float64(share) / 100
	}
	n, _ := strconv.Atoi(m[4])
	l.Size = unit.Bytes(n) * map[string]unit.Bytes{"B": 1, "K": unit.KiB, "M": unit.MiB}[m[5]]
	l.Depth, _ = strconv.Atoi(m[6])
	l.Threads, _ = strconv.Atoi(m[7])
	return l, true
}

// BlockPart is one of several simultaneous loads of a host.
type BlockPart struct {
	BlockLoad
	Text string // as written
	Read string // share of reads, as written; empty: none written
}

// ParseBlockLoads reads the loads of a host: one, or several at once with their shares of reads:
// RND8K-Q32T1:70%+SEQ32K-Q1T1:0%.
func ParseBlockLoads(text string) ([]BlockPart, bool) {
	words := strings.Split(text, "+")
	if len(words) > maxParts {
		return nil, false
	}
	var out []BlockPart
	for _, w := range words {
		load, read, said := strings.Cut(w, ":")
		l, ok := ParseBlockLoad(load)
		if !ok || !said && len(words) > 1 {
			return nil, false
		}
		if said {
			if share, err := unit.ParsePercent(read); err != nil || share < 0 || share > 1 {
				return nil, false
			}
		}
		out = append(out, BlockPart{BlockLoad: l, Text: w, Read: read})
	}
	return out, true
}

// maxParts is how many simultaneous loads a host may have.
const maxParts = 8
