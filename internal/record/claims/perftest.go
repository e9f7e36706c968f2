package claims

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

var (
	perftestColumn = lazyregexp.New(
		`#bytes|#iterations|BW peak\[[^\]]*\]|BW average\[[^\]]*\]|MsgRate\[[^\]]*\]|BW Port\d ?\[[^\]]*\]|MsgRate Port\d ?\[[^\]]*\]|t_min\[usec\]|t_max\[usec\]|t_typical\[usec\]|t_avg\[usec\]|t_stdev\[usec\]|[\d.]+% percentile\[usec\]|tps average|CPU_Util\[%\]`,
	)
	perftestTitle = lazyregexp.New(
		`(?m)^\s*((?:RDMA_)?(?:Write|Read|Send|Atomic|FetchAndAdd|CMP_and_SWAP|Raw Ethernet|Ethernet)[\w ]*?(BW|Latency)) Test`,
	)
	perftestSetting = lazyregexp.New(
		`(?m)(?:^|\t|  )\s*(Dual-port|Number of qps|Connection type|TX depth|Mtu|Link type|GID index)\s*:\s*(\S+)`,
	)
)

// readPerftest reads the tables of ib_write_bw, ib_read_bw, ib_send_bw and of the matching latency tools (perftest,
// src/perftest_parameters.h). MB are 2^20 bytes and Gb are 10^9 bits there. A sweep over sizes (-a) is one figure, its
// fastest row, with all rows next to it.
func readPerftest(text string) ([]Figure, error) {
	if perftestObject.MatchString(text) {
		return perftestJSON(text)
	}
	f := silent()
	if m := perftestTitle.FindStringSubmatch(text); m != nil {
		f.Row = strings.TrimSpace(m[1])
		f.BothWays = strings.Contains(m[1], "Bidirectional")
	}
	says := map[string]string{}
	for _, m := range perftestSetting.FindAllStringSubmatch(text, 100) {
		if says[m[1]] == "" {
			says[m[1]] = m[2]
		}
	}
	f.Transport = map[string]string{"Ethernet": "roce", "IB": "ib"}[says["Link type"]]
	if n, err := strconv.Atoi(strings.TrimSuffix(says["Mtu"], "[B]")); err == nil && n >= 256 && n <= 4096 {
		f.PathMTU = n
	}
	if n, err := strconv.Atoi(says["Number of qps"]); err == nil && n > 0 && n < 1<<20 {
		f.Threads = unit.Known(n)
	}
	if n, err := strconv.Atoi(says["TX depth"]); err == nil && n > 0 && n < 1<<20 {
		f.Depth = unit.Known(n)
	}
	var columns []string
	rows := 0
	for line := range strings.Lines(text) {
		if strings.Contains(line, "#bytes") {
			columns = perftestColumn.FindAllString(line, -1)
			continue
		}
		words := strings.Fields(line)
		if len(columns) < 3 || len(words) != len(columns) {
			continue
		}
		values := map[string]float64{}
		for i, c := range columns {
			if v, ok := number(words[i]); ok {
				values[c] = v
			}
		}
		if len(values) < 3 || values["#bytes"] < 1 || values["#bytes"] > 1<<40 {
			continue
		}
		s, printed, meant := perftestRow(columns, words, values)
		if !(s.Rate > 0) {
			continue
		}
		rows++
		if f.BothWays {
			s.Rate /= 2
		}
		f.Sizes = append(f.Sizes, s)
		if s.Rate > f.Rate {
			f.Rate, f.Block, f.Printed, f.Meant, f.Line = s.Rate, s.Block, printed, meant, tidy(
				strings.Join(columns, ", ")+": "+line,
			)
			f.OneByOne = s.Latency > 0
			if s.Latency > 0 {
				f.Latency = unit.Known(s.Latency)
			}
			if n, ok := values["MsgRate[Mpps]"]; ok && n > 0 {
				f.IOPS = unit.Known(n * 1e6)
			}
		}
	}
	if rows == 0 {
		if columns != nil {
			return nil, errors.New("it has the head of perftest's table and no row of it: the measurement was cut off or " +
				"failed")
		}
		return nil, errors.New(
			"it has no table of perftest (\"#bytes #iterations BW peak[MB/sec] BW average[MB/sec]\", or \"t_typical[usec]\")",
		)
	}
	if says["Dual-port"] == "ON" {
		f.Meant = strings.TrimPrefix(f.Meant+", the sum of two ports", ", ")
	}
	if f.BothWays {
		f.Meant = strings.TrimPrefix(f.Meant+", the sum of both directions: half of it each", ", ")
	}
	if rows == 1 {
		f.Sizes = nil
	} else {
		f.Row = strings.TrimSpace(f.Row + fmt.Sprintf(", the fastest of %d sizes", rows))
	}
	return []Figure{f}, nil
}

// perftestRow parses one row: a rate, or the time of one message, from which the rate of one message at a time follows.
func perftestRow(columns, words []string, values map[string]float64) (s Size, printed, meant string) {
	s.Block = unit.Bytes(values["#bytes"])
	for i, c := range columns {
		name, of, ok := strings.Cut(strings.TrimSuffix(c, "]"), "[")
		if !ok || name != "BW average" {
			continue
		}
		switch of {
		case "MB/sec", "MiB/sec":
			meant := "MB = 1048576 bytes"
			if of == "MiB/sec" { // the name since version 24.04, for the same unit
				meant = ""
			}
			return Size{Block: s.Block, Rate: unit.BitRate(values[c] * 8 * (1 << 20))}, words[i] + " " + of, meant
		case "Gb/sec":
			return Size{Block: s.Block, Rate: unit.BitRate(values[c] * 1e9)}, words[i] + " " + of, ""
		}
		return s, "", ""
	}
	for _, c := range []string{"t_avg[usec]", "t_typical[usec]"} {
		if t := values[c]; t > 0 {
			s.Latency = t / 1e6
			s.Rate = unit.BitRate(8 * float64(s.Block) / s.Latency)
			return s, fmt.Sprintf("%v us", t), c + ": half of a round trip"
		}
	}
	return s, "", ""
}
