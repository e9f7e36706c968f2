package figures

import (
	"cmp"
	"fmt"
	"strings"
)

// moreAtOnce is the factor of requests in flight in the next measurement of a drive.
const moreAtOnce = 4

// tryDrive returns the command with which the same tool shows whether more concurrent requests are faster. It warns
// that writes overwrite the target.
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
		return fmt.Sprintf("in CrystalDiskMark, Settings, Queues & Threads: the same row with %d queues; then linerate "+
			"explain with both outputs", depth)
	case "diskspd":
		how := map[string]string{"random": " -r"}[c.Pattern]
		writes := map[string]int{"write": 100, "mixed": 50}[c.Way]
		return fmt.Sprintf("diskspd -b%s%s -o%d -t%d -w%d -d10 -Sh -L -c4G FILE%s; then linerate explain with "+
			"both outputs", block, how, depth, c.Threads.Or(1), writes, over)
	}
	rw := cmp.Or(map[string]string{"read": "read", "write": "write", "mixed": "rw", "trim": "trim"}[c.Way], "read")
	if c.Pattern == "random" {
		rw = "rand" + rw
	}
	const engine = "libaio --direct=1" // of Linux; other systems have another engine
	return fmt.Sprintf("fio --name=t --filename=FILE --rw=%s --bs=%s --iodepth=%d --numjobs=%d --ioengine=%s "+
		"--time_based --runtime=10 --size=4G --group_reporting --output-format=json%s; then linerate explain with "+
		"both outputs",
		rw, block, depth, c.Threads.Or(1), engine, over)
}
