package fabric

import (
	"regexp"
	"strconv"

	"linerate/unit"
)

// BlockLoad is a load of block as one word: order, block, depth and threads, as in SEQ1M-Q8T1.
type BlockLoad struct {
	Order          string // SEQ or RND
	Block          string // as written: 1M
	Size           unit.Bytes
	Depth, Threads int // depth is of each thread
}

var blockLoad = regexp.MustCompile(`^(SEQ|RND)((\d{1,6})([BKM]))-Q(\d{1,5})T(\d{1,4})$`)

// ParseBlockLoad reads one. Blocks in bytes (RND512B-Q1T1) are of linerate's own profiles; a file writes K or M.
func ParseBlockLoad(text string) (BlockLoad, bool) {
	m := blockLoad.FindStringSubmatch(text)
	if m == nil {
		return BlockLoad{}, false
	}
	l := BlockLoad{Order: m[1], Block: m[2]}
	n, _ := strconv.Atoi(m[3]) // digits alone, as all below
	l.Size = unit.Bytes(n) * map[string]unit.Bytes{"B": 1, "K": unit.KiB, "M": unit.MiB}[m[4]]
	l.Depth, _ = strconv.Atoi(m[5])
	l.Threads, _ = strconv.Atoi(m[6])
	return l, true
}
