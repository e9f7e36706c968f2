package tables

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/summary"
)

// crystal returns the rows of a CrystalDiskMark profile in the form that its users post: for each row the best repeat,
// and that one's mean latency. The header names linerate, so that they are not mistaken for CrystalDiskMark's own. It
// is empty where the experiments are of another profile.
func crystal(all []*record.Experiment) string {
	rows := map[bool][]string{} // by whether they read
	mix := map[string][]string{}
	var mixes []string
	var repeats, span, interval string
	for _, e := range all {
		l, ok := fabric.ParseBlockLoad(e.Settings["load"])
		if !ok || !strings.HasPrefix(e.Settings["profile"], "cdm") {
			return ""
		}
		best, ok := summary.Best(e)
		if !ok {
			continue
		}
		row := fmt.Sprintf("  %s %5siB (Q=%3d, T=%2d): %9.3f MB/s [%9.1f IOPS] <%9.2f us>", l.Order, l.Block, l.Depth,
			l.Threads, best.BytesPerSecond/1e6, best.IOPS, best.Mean*1e6)
		switch read := e.Settings["read"]; read {
		case "100%":
			rows[true] = append(rows[true], row)
		case "0%":
			rows[false] = append(rows[false], row)
		default:
			if mix[read] == nil {
				mixes = append(mixes, read)
			}
			mix[read] = append(mix[read], row)
		}
		repeats, span, interval = strconv.Itoa(len(e.Repeats)), unit.Bytes(e.Block.Workers[0].Span).
			String(),
			format.Clean(e.InEffect["window"])
	}
	if len(rows) == 0 && len(mix) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(
		"* CrystalDiskMark's form, measured by linerate: the best repeat of each row\n* MB/s = 1,000,000 bytes/s, KiB = " +
			"1024 bytes\n",
	)
	section := func(head string, of []string) {
		if len(of) > 0 {
			b.WriteString("\n[" + head + "]\n" + strings.Join(of, "\n") + "\n")
		}
	}
	section("Read", rows[true])
	section("Write", rows[false])
	for _, read := range mixes {
		if share, err := unit.ParsePercent(read); err == nil {
			section(fmt.Sprintf("Mix] Read %.0f%%/Write %.0f%%", share*100, 100-share*100), mix[read])
		}
	}
	name := unit.If(all[0].Settings["profile"] == "cdm-nvme", "NVMe SSD", "Default")
	fmt.Fprintf(&b, "\nProfile: %s\n   Test: %s (x%s)\n   Time: Measure %s\n", name, span, repeats, interval)
	return b.String()
}
