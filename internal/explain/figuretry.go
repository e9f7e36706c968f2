package explain

import (
	"fmt"
	"strings"
)

// moreAtOnce is how many times as many requests under way the next measurement of a drive has.
const moreAtOnce = 4

// tryDrive is how the same tool tells whether more requests at once carry more. What is written to is overwritten, and said to be.
func (c *Claim) tryDrive() string {
	depth, block := c.Depth.Or(8)*moreAtOnce, "1M"
	if c.Block > 0 {
		block = strings.TrimSuffix(strings.TrimSuffix(c.Block.String(), "iB"), "B")
		block = strings.ReplaceAll(block, " ", "")
	}
	over := ""
	if c.Way == "write" || c.Way == "mixed" {
		over = "; FILE is overwritten"
	}
	switch c.Tool {
	case "crystaldiskmark":
		return fmt.Sprintf("in CrystalDiskMark, Settings, Queues & Threads: the same row with %d queues; then linerate explain --crystaldiskmark with both outputs", depth)
	case "diskspd":
		how := map[string]string{"random": " -r"}[c.Pattern]
		writes := map[string]int{"write": 100, "mixed": 50}[c.Way]
		return fmt.Sprintf("diskspd -b%s%s -o%d -t%d -w%d -d10 -Sh -L -c4G FILE%s; then linerate explain --diskspd with both outputs", block, how, depth, c.Threads.Or(1), writes, over)
	}
	rw := map[string]string{"read": "read", "write": "write", "mixed": "rw", "trim": "trim"}[c.Way]
	if rw == "" {
		rw = "read"
	}
	if c.Pattern == "random" {
		rw = "rand" + rw
	}
	const engine = "libaio --direct=1" // of Linux; elsewhere fio names another
	return fmt.Sprintf("fio --name=t --filename=FILE --rw=%s --bs=%s --iodepth=%d --numjobs=%d --ioengine=%s --time_based --runtime=10 --size=4G --group_reporting --output-format=json%s; then linerate explain --fio with both outputs",
		rw, block, depth, c.Threads.Or(1), engine, over)
}
