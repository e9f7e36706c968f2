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

// Figure is one result of a tool, as its output has it.
type Figure struct {
	Tool    string `json:"tool"`              // "iperf3"; empty: no tool, see Said
	Version string `json:"version,omitempty"` // empty: not in the output
	// Row names the result, where the output has several: "SEQ 1MiB Q8 T1 read".
	Row string `json:"row,omitempty"`
	Way string `json:"way,omitempty"` // of storage: read, write, or mixed for both together
	// Pattern is sequential or random, of storage; empty: not in the output.
	Pattern   string `json:"pattern,omitempty"`
	Transport string `json:"transport,omitempty"` // tcp, udp, roce or ib; empty: not in the output
	// Rate is the payload rate of all streams together, as received where the output has that.
	Rate    unit.BitRate `json:"bits_per_second"`
	Printed string       `json:"printed,omitempty"` // the rate and its unit as in the output: "1130.887 MB/s"
	// Meant is the meaning of that unit, where its name is ambiguous: "MB = 1048576 bytes".
	Meant   string         `json:"unit,omitempty"`
	Streams []unit.BitRate `json:"streams,omitempty"` // each stream, thread or job by itself
	Seconds float64        `json:"seconds,omitempty"`
	Line    string         `json:"line"` // that has the rate
	// Threads is the number of concurrent threads or jobs. Each has Depth requests in flight.
	Threads unit.Opt[int]     `json:"threads"`
	Depth   unit.Opt[int]     `json:"depth"`
	Block   unit.Bytes        `json:"block_bytes,omitempty"` // of a request or message; 0: not in the output
	IOPS    unit.Opt[float64] `json:"iops"`
	// Latency is the mean time of a request or message, in seconds; for RDMA's latency tools it is half of a round trip.
	Latency unit.Opt[float64] `json:"latency_seconds"`
	// OneByOne reports whether Rate was computed from times, for one message at a time.
	OneByOne bool `json:"one_by_one,omitempty"`
	// BothWays reports whether the tool printed the sum of both directions. Rate is half of it.
	BothWays bool `json:"both_ways,omitempty"`
	// PathMTU is RDMA's, in bytes; 0: not in the output.
	PathMTU int `json:"path_mtu,omitempty"`
	// Segment is the mean payload of the packets that the tool's machine counted, in bytes.
	Segment unit.Opt[float64] `json:"segment_bytes"`
	// Buffered reports whether requests went through the system's page cache.
	Buffered unit.Opt[bool] `json:"buffered"`
	// Sizes are the rates by message size, where the output has several. The figure itself is the fastest.
	Sizes       []Size          `json:"sizes,omitempty"`
	Retransmits unit.Opt[int64] `json:"retransmits"`
	// MaxSegment is TCP's largest payload of a packet, in bytes, without the timestamps that packets carry.
	MaxSegment unit.Opt[int] `json:"max_segment_bytes"`
	// Lost is the share of UDP's datagrams that did not arrive, Sent the rate at which they were sent.
	Lost unit.Opt[float64] `json:"lost_share"`
	Sent unit.BitRate      `json:"sent_bits_per_second,omitempty"`
	// Stalled is how the rate fell to nothing after the first packets; empty: it did not.
	Stalled string `json:"stalled,omitempty"`
	// SenderCPU and ReceiverCPU are the CPU use of the tool's processes, in cores.
	SenderCPU   unit.Opt[float64] `json:"sender_cores"`
	ReceiverCPU unit.Opt[float64] `json:"receiver_cores"`
	// MachineCPU is the CPU use of the whole machine, as a share of all its CPUs.
	MachineCPU unit.Opt[float64] `json:"machine_share"`
	// OneThread reports whether the tool runs all of its streams in one thread.
	OneThread unit.Opt[bool] `json:"one_thread"`
	// Loopback is the address of a machine that was connected to itself; empty: to another one, or not in the output.
	Loopback string `json:"loopback,omitempty"`
}

// Size is one row of a sweep over sizes.
type Size struct {
	Block   unit.Bytes   `json:"block_bytes"`
	Rate    unit.BitRate `json:"bits_per_second"`
	Latency float64      `json:"latency_seconds,omitempty"`
}

// silent returns a figure whose optional values are all unknown.
func silent() Figure {
	const why = "the output does not say"
	number, whole, yes := unit.Unknown[float64](why), unit.Unknown[int](why), unit.Unknown[bool](why)
	return Figure{Threads: whole, Depth: whole, IOPS: number, Latency: number, Segment: number, SenderCPU: number,
		ReceiverCPU: number, MachineCPU: number, Buffered: yes, OneThread: yes, MaxSegment: whole, Lost: number,
		Retransmits: unit.Unknown[int64](why)}
}

// Said returns a figure that is only a rate, without a tool's output.
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

// readers are the tools, by their names on the command line.
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

// Tools returns the tools whose outputs linerate reads.
func Tools() (out []Tool) {
	for _, r := range readers {
		out = append(out, Tool{r.tool, r.what})
	}
	return out
}

// maxOutput is the longest output that is read, in bytes.
const maxOutput = 16 << 20

// Read reads the output of a tool, also as the UTF-16 that redirection on Windows writes. It returns at least one
// figure, each with a rate. The error says what is missing in the text.
func Read(tool string, text []byte) ([]Figure, error) {
	if len(text) > maxOutput {
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
		loopback := Loopback(got)
		for i := range all {
			all[i].Tool, all[i].Loopback = tool, loopback
			if !(all[i].Rate > 0) && all[i].Stalled == "" || math.IsInf(float64(all[i].Rate), 0) {
				return nil, errors.New("its rate is nothing; the measurement did not carry data")
			}
		}
		if len(all) == 0 {
			return nil, errors.New("it has no result")
		}
		return all, nil
	}
	return nil, errors.New(tool + " is not a tool whose output is read; those are " + strings.Join(names, ", "))
}

// factor returns the factor of a unit prefix: "Gi" is 2^30.
func factor(prefix string) (float64, bool) {
	k, ok := map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "KI": 1 << 10, "MI": 1 << 20,
		"GI": 1 << 30, "TI": 1 << 40}[strings.ToUpper(prefix)]
	return k, ok
}

// number parses a plain decimal number. "NaN", "Inf" and 0x are refused.
func number(s string) (float64, bool) {
	if !plain.MatchString(s) {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && v < 1e18
}

var plain = lazyregexp.New(`^\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$|^\.\d+$`)

// size parses a block size as tools print it: 4K, 4KiB, 1024k, 65536. The units are powers of two.
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

// tidy normalizes the spaces of a line, and shortens it for printing.
func tidy(line string) string {
	line = strings.Join(strings.Fields(line), " ")
	if len(line) > 240 {
		line = fmt.Sprintf("%.240s..", line)
	}
	return strings.ToValidUTF8(line, "?")
}
