package claims

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// Figure is one result of a tool, as its output says it.
type Figure struct {
	Tool      string         `json:"tool"`                // "iperf3"; empty: somebody said it
	Version   string         `json:"version,omitempty"`   // empty: the output does not say
	Row       string         `json:"row,omitempty"`       // which of the output's results, where it has several: "SEQ 1MiB Q8 T1 read"
	Way       string         `json:"way,omitempty"`       // of storage: read, write, or mixed for both together
	Pattern   string         `json:"pattern,omitempty"`   // of storage: sequential or random; empty: the output does not say
	Transport string         `json:"transport,omitempty"` // tcp, udp, roce or ib; empty: the output does not say
	Rate      unit.BitRate   `json:"bits_per_second"`     // of payload, all streams together, as received where the output says that
	Printed   string         `json:"printed,omitempty"`   // the rate and its unit as they stand there: "1130.887 MB/s"
	Meant     string         `json:"unit,omitempty"`      // what that unit is, where its name does not tell: "MB = 1048576 bytes"
	Streams   []unit.BitRate `json:"streams,omitempty"`   // each stream, thread or job by itself
	Seconds   float64        `json:"seconds,omitempty"`
	Line      string         `json:"line"` // in which the rate stands
	// Threads send or ask at once, each with Depth requests under way.
	Threads unit.Opt[int]     `json:"threads"`
	Depth   unit.Opt[int]     `json:"depth"`
	Block   unit.Bytes        `json:"block_bytes,omitempty"` // of a request or message; 0: the output does not say
	IOPS    unit.Opt[float64] `json:"iops"`
	// Latency is the mean time of a request or message, in seconds; of RDMA's latency tools half of a round trip.
	Latency unit.Opt[float64] `json:"latency_seconds"`
	// OneByOne: the output has times and no rate; the rate is that of one message at a time.
	OneByOne bool `json:"one_by_one,omitempty"`
	// BothWays: what was printed is the sum of both directions, and the rate here is half of it.
	BothWays bool `json:"both_ways,omitempty"`
	// PathMTU is RDMA's, in bytes; 0: the output does not say.
	PathMTU int `json:"path_mtu,omitempty"`
	// Segment is the payload of the packets that the tool's machine counted, in bytes, on average.
	Segment unit.Opt[float64] `json:"segment_bytes"`
	// Buffered: requests went through the system's page cache.
	Buffered unit.Opt[bool] `json:"buffered"`
	// Sizes are the rates by the size of the message, of an output that has several; the figure itself is the fastest.
	Sizes []Size `json:"sizes,omitempty"`
	// Retransmits are segments that were sent again.
	Retransmits unit.Opt[int64] `json:"retransmits"`
	// SenderCPU and ReceiverCPU are what the tool's processes used, in cores.
	SenderCPU   unit.Opt[float64] `json:"sender_cores"`
	ReceiverCPU unit.Opt[float64] `json:"receiver_cores"`
	// MachineCPU is what the whole machine used, as a share of all its processors.
	MachineCPU unit.Opt[float64] `json:"machine_share"`
	// OneThread says whether the tool has one thread for all of its streams.
	OneThread unit.Opt[bool] `json:"one_thread"`
}

// Size is one row of a sweep over sizes.
type Size struct {
	Block   unit.Bytes   `json:"block_bytes"`
	Rate    unit.BitRate `json:"bits_per_second"`
	Latency float64      `json:"latency_seconds,omitempty"`
}

// silent is a figure of which the output has said nothing yet.
func silent() Figure {
	const why = "the output does not say"
	number, whole, yes := unit.Unknown[float64](why), unit.Unknown[int](why), unit.Unknown[bool](why)
	return Figure{Threads: whole, Depth: whole, IOPS: number, Latency: number, Segment: number, SenderCPU: number, ReceiverCPU: number,
		MachineCPU: number, Buffered: yes, OneThread: yes, Retransmits: unit.Unknown[int64](why)}
}

// Said is a figure without a tool's output: somebody wrote down a rate.
func Said(rate unit.BitRate, line string) Figure {
	f := silent()
	f.Rate, f.Line = rate, line
	return f
}

// reader is a tool whose output is known.
type reader struct {
	tool, what string
	read       func(text string) ([]Figure, error)
}

// readers are the tools, by the flag that names each.
var readers = []reader{
	{"iperf3", "JSON or text", readIPerf3},
	{"fio", "JSON or text", readFio},
	{"perftest", "ib_write_bw, ib_send_lat and their like", readPerftest},
	{"crystaldiskmark", "its text", readCrystalDiskMark},
	{"ntttcp", "text or XML", readNTttcp},
	{"diskspd", "text or XML", readDiskSpd},
}

// Tool is a program whose output is read, and in which forms.
type Tool struct{ Name, Forms string }

// Tools are those whose outputs are read.
func Tools() (out []Tool) {
	for _, r := range readers {
		out = append(out, Tool{r.tool, r.what})
	}
	return out
}

// most is the longest output that is read, in bytes.
const most = 16 << 20

// Read reads the output of a tool, of which a redirection in Windows may have made UTF-16; there is at least one figure, and each
// has a rate. An error says what the text lacks.
func Read(tool string, text []byte) ([]Figure, error) {
	if len(text) > most {
		return nil, errors.New("it is longer than 16 MiB; keep the output of one measurement")
	}
	var names []string
	for _, r := range readers {
		names = append(names, r.tool)
		if r.tool != tool {
			continue
		}
		got, err := decoded(text)
		if err != nil {
			return nil, err
		}
		all, err := r.read(got)
		if err != nil {
			return nil, err
		}
		for i := range all {
			all[i].Tool = tool
			if !(all[i].Rate > 0) || math.IsInf(float64(all[i].Rate), 0) {
				return nil, errors.New("its rate is nothing; the measurement did not carry data")
			}
		}
		if len(all) == 0 {
			return nil, errors.New("it has no result")
		}
		return all, nil
	}
	return nil, errors.New(tool + " is no tool whose output is read; those are " + strings.Join(names, ", "))
}

// factor is what a prefix of a unit multiplies by: "Gi" is 2^30.
func factor(prefix string) (float64, bool) {
	k, ok := map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "KI": 1 << 10, "MI": 1 << 20, "GI": 1 << 30, "TI": 1 << 40}[strings.ToUpper(prefix)]
	return k, ok
}

// number reads one that is printed plainly, and no "NaN", "Inf" or 0x.
func number(s string) (float64, bool) {
	if !plain.MatchString(s) {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && v < 1e18
}

var plain = lazyregexp.New(`^\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$|^\.\d+$`)

// size reads a block's size as tools print it: 4K, 4KiB, 1024k, 65536, of powers of two.
func size(s string) (unit.Bytes, bool) {
	m := sizeForm.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	v, ok := number(m[1])
	shift := map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[strings.ToUpper(m[2])]
	v *= shift
	return unit.Bytes(v), ok && v >= 1 && v <= 1<<40 && v == math.Trunc(v)
}

var sizeForm = lazyregexp.New(`^([\d.]+)\s*([kKmMgG]?)(?:i?[bB])?$`)

// tidy is a line with one space between its words, at most so long as a person reads.
func tidy(line string) string {
	line = strings.Join(strings.Fields(line), " ")
	if len(line) > 240 {
		line = fmt.Sprintf("%.240s..", line)
	}
	return strings.ToValidUTF8(line, "?")
}
