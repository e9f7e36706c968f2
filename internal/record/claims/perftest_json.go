package claims

import (
	"errors"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

var (
	perftestObject = lazyregexp.New(`"?test_info"?\s*:`)
	perftestKey    = lazyregexp.New(`(?m)^\s*"?([A-Za-z_]\w*)"?\s*:\s*"?([^",{}\n]+?)"?\s*,?\s*$`)
)

// perftestJSON reads the file of --out_json, whose keys have no quotes in many versions (perftest,
// src/perftest_parameters.c: print_results_json). Rates are in Gb/s if the output says so or has no other unit, since
// --out_json needs --report_gbits for its documented values.
func perftestJSON(text string) ([]Figure, error) {
	f := silent()
	says := map[string]string{}
	for _, m := range perftestKey.FindAllStringSubmatch(text, 1000) {
		says[m[1]] = m[2]
	}
	read := func(keys ...string) float64 {
		for _, key := range keys {
			if v, ok := number(says[key]); ok && v > 0 {
				return v
			}
		}
		return 0
	}
	f.Block = unit.Bytes(read("MsgSize"))
	f.Transport = map[string]string{"Ethernet": "roce", "IB": "ib"}[says["Link_type"]]
	if n, err := strconv.Atoi(strings.TrimSuffix(says["MTU"], "[B]")); err == nil && n >= 256 && n <= 4096 {
		f.PathMTU = n
	}
	if n := read("Number_of_qps"); n > 0 && n < 1<<20 {
		f.Threads = unit.Known(int(n))
	}
	f.Row = strings.ReplaceAll(says["test"], "_", " ")
	if rate := read("BW_average"); rate > 0 {
		f.Rate, f.Printed = unit.BitRate(rate*1e9), says["BW_average"]+" Gb/sec"
		f.Line = "results: BW_average: " + says["BW_average"]
		if n := read("MsgRate"); n > 0 {
			f.IOPS = unit.Known(n * 1e6)
			// The message rate and the message size say which unit it is: Gb/s, or MiB/s without --report_gbits.
			of := n * 1e6 * 8 * float64(f.Block)
			if binary := rate * 8 * (1 << 20); f.Block > 0 && of > binary*0.9 && of < binary*1.1 {
				f.Rate, f.Printed = unit.BitRate(binary), says["BW_average"]+" MiB/sec"
			} else if f.Block > 0 && (of < rate*0.9e9 || of > rate*1.1e9) {
				return nil, errors.New("its rate, message rate and message size contradict each other")
			}
		}
		return []Figure{f}, nil
	}
	if t := read("t_avg", "t_typical"); t > 0 && f.Block > 0 {
		f.Latency, f.OneByOne = unit.Known(t/1e6), true
		f.Rate = unit.BitRate(8 * float64(f.Block) / (t / 1e6))
		f.Printed, f.Meant = strconv.FormatFloat(t, 'f', -1, 64)+" us", "half of a round trip"
		f.Line = "results: t_avg: " + f.Printed
		return []Figure{f}, nil
	}
	return nil, errors.New("it has no BW_average and no t_avg: the measurement was cut off or failed")
}
