package claims

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// readIPerf3 reads iperf3's output, as JSON (-J, not --json-stream) or as text, of the client or the server. It takes
// the sums over the whole time, and the receiver's where both exist (iperf3's manual; src/iperf_api.c of esnet/iperf).
func readIPerf3(text string) ([]Figure, error) {
	f, err := silent(), error(nil)
	if at := jsonAt(text, `"end"`); at >= 0 {
		err = iperf3JSON(text[at:], &f)
	} else {
		err = iperf3Text(text, &f)
	}
	if err != nil {
		return nil, err
	}
	f.OneThread = oneThread(f.Version)
	return []Figure{f}, nil
}

// jsonAt returns the offset of a JSON object in a tool's output, which may have lines of a shell above it; -1: there is
// none. Where text precedes the object, it must have the key.
func jsonAt(text, key string) int {
	at := strings.Index(text, "{")
	if at < 0 || strings.TrimSpace(text[:at]) != "" && !strings.Contains(text[at:], key) {
		return -1
	}
	return at
}

// oneThread compares the version with 3.16, which introduced one thread a stream (its release notes).
func oneThread(version string) unit.Opt[bool] {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(strings.TrimRight(minor, "abcdefghijklmnopqrstuvwxyz-+"))
	if err1 != nil || err2 != nil {
		return unit.Unknown[bool]("the output does not say its version; before 3.16 all streams have one thread")
	}
	return unit.Known(a < 3 || a == 3 && b < 16)
}

type iperf3Sum struct {
	Bits        *float64 `json:"bits_per_second"`
	Seconds     float64  `json:"seconds"`
	Retransmits *int64   `json:"retransmits"`
	Sender      *bool    `json:"sender"`
}

func iperf3JSON(text string, f *Figure) error {
	var o struct {
		Error string
		Start struct {
			Version string
			Test    struct{ Protocol string } `json:"test_start"`
		}
		End struct {
			Streams []struct{ Sender, Receiver, UDP *iperf3Sum }
			Sum     *iperf3Sum
			Sent    *iperf3Sum `json:"sum_sent"`
			Got     *iperf3Sum `json:"sum_received"`
			CPU     *struct {
				Host   *float64 `json:"host_total"`
				Remote *float64 `json:"remote_total"`
			} `json:"cpu_utilization_percent"`
		}
	}
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&o); err != nil {
		return fmt.Errorf("it begins as JSON and is none, or was cut off: %w", err)
	}
	if !strings.Contains(text, `"start"`) && !strings.Contains(text, `"end"`) {
		return errors.New("it is JSON, and not of iperf3 (it has neither \"start\" nor \"end\")")
	}
	if o.Error != "" {
		return fmt.Errorf("iperf3 says of it: %.200s", o.Error)
	}
	f.Version, f.Transport = strings.TrimPrefix(o.Start.Version, "iperf "), strings.ToLower(o.Start.Test.Protocol)
	name, sum := "end.sum_received", o.End.Got
	if sum == nil || sum.Bits == nil || *sum.Bits <= 0 {
		name, sum = "end.sum_sent", o.End.Sent
	}
	if sum == nil || sum.Bits == nil {
		name, sum = "end.sum", o.End.Sum
	}
	if sum == nil || sum.Bits == nil {
		return errors.New("it has no sum of the whole time (end.sum_received or end.sum): the measurement was cut off")
	}
	f.Rate, f.Seconds = unit.BitRate(*sum.Bits), sum.Seconds
	f.Printed = fmt.Sprintf("%.0f bits/s", *sum.Bits)
	f.Line = fmt.Sprintf("%s.bits_per_second: %.0f", name, *sum.Bits)
	for _, s := range o.End.Streams {
		for _, one := range []*iperf3Sum{s.Receiver, s.Sender, s.UDP} {
			if one != nil && one.Bits != nil && *one.Bits > 0 {
				f.Streams = append(f.Streams, unit.BitRate(*one.Bits))
				break
			}
		}
	}
	if o.End.Sent != nil && o.End.Sent.Retransmits != nil {
		f.Retransmits = unit.Known(*o.End.Sent.Retransmits)
	}
	if c := o.End.CPU; c != nil && c.Host != nil && c.Remote != nil {
		host, remote := *c.Host/100, *c.Remote/100
		if sum := o.End.Sent; sum != nil && sum.Sender != nil && !*sum.Sender { // -R: the remote end sends
			host, remote = remote, host
		}
		f.SenderCPU, f.ReceiverCPU = unit.Known(host), unit.Known(remote)
	}
	return nil
}

// iperf3Line is a line of a stream or of all: "[ 5] 0.00-10.00 sec 3.50 GBytes 3.01 Gbits/sec 0 sender". It may be
// anywhere in the text, because web pages lose line breaks.
var (
	iperf3Line = lazyregexp.New(
		`\[ *(\d+|SUM)\](?:\[[TR]X-[CS]\])?\s+([\d.]+)-([\d.]+)\s+sec\s+[\d.]+\s+[KMGT]?Bytes\s+([\d.]+)\s+([KMGT]?)bits/sec((?:\s+[\d.]+(?:\s+ms)?(?:\s+\d+/\d+)?(?:\s+\([\d.e+-]+%\))?)*)(?:\s+(sender|receiver))?`,
	)
	iperf3Lost    = lazyregexp.New(`(\d+)/(\d+)`)
	iperf3Version = lazyregexp.New(`\biperf (3\.\d+[\w.+-]*)`)
)

func iperf3Text(text string, f *Figure) error {
	f.Transport = "tcp"
	if m := iperf3Version.FindStringSubmatch(text); m != nil {
		f.Version = m[1]
	}
	if strings.Contains(text, "Lost/Total") {
		f.Transport = "udp"
	}
	type line struct {
		id, role, text, printed string
		from, to, rate          float64
		retransmits             unit.Opt[int64]
	}
	var all []line
	longest := 0.0
	for _, m := range iperf3Line.FindAllStringSubmatch(text, 100_000) {
		from, err1 := strconv.ParseFloat(m[2], 64)
		to, err2 := strconv.ParseFloat(m[3], 64)
		rate, err3 := strconv.ParseFloat(m[4], 64)
		if err1 != nil || err2 != nil || err3 != nil {
			continue
		}
		l := line{id: m[1], role: m[7], text: strings.Join(strings.Fields(m[0]), " "), from: from, to: to,
			printed: m[4] + " " + m[5] + "bits/sec",
			rate:    rate * map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[m[5]]}
		if n, err := strconv.ParseInt(strings.TrimSpace(m[6]), 10, 64); err == nil {
			l.retransmits = unit.Known(n)
		}
		// For UDP, the sender's line has the rate that was sent and the share that did not arrive.
		if lost := iperf3Lost.FindStringSubmatch(m[6]); lost != nil && l.role != "receiver" {
			gone, err1 := strconv.ParseFloat(lost[1], 64)
			of, err2 := strconv.ParseFloat(lost[2], 64)
			if err1 == nil && err2 == nil && of > 0 && gone <= of {
				l.rate *= 1 - gone/of
			}
		}
		if from == 0 {
			longest = max(longest, to)
		}
		all = append(all, l)
	}
	// The lines of the whole time: those with a role, or, in old outputs, those that begin at 0 and last longest.
	whole := func(role, id string) (out []line) {
		for _, l := range all {
			if l.from < 0.01 && l.to > 0.9*longest && l.to > 0 && l.role == role &&
				(id == "" && l.id != "SUM" || l.id == id) {
				out = append(out, l)
			}
		}
		return out
	}
	roles := []string{"receiver", "sender", ""}
	for _, role := range roles {
		streams, sums := whole(role, ""), whole(role, "SUM")
		if role == "" && len(all) > 0 && len(streams) > 0 && longest <= 1.1 && len(all) > len(streams)+len(sums) {
			continue // only intervals
		}
		var total float64
		for _, s := range streams {
			f.Streams = append(f.Streams, unit.BitRate(s.rate))
			total += s.rate
		}
		switch {
		case len(sums) > 0:
			last := sums[len(sums)-1]
			f.Rate, f.Seconds, f.Line, f.Printed = unit.BitRate(last.rate), last.to, last.text, last.printed
		case len(streams) == 1:
			f.Rate, f.Seconds, f.Line, f.Printed = unit.BitRate(total), streams[0].to, streams[0].text, streams[0].printed
		default:
			f.Streams = nil
			continue
		}
		for _, l := range append(whole("sender", "SUM"), whole("sender", "")...) {
			if n, ok := l.retransmits.Get(); ok && f.Transport == "tcp" && (l.id == "SUM" || len(f.Streams) == 1) {
				f.Retransmits = unit.Known(n)
				break
			}
		}
		return nil
	}
	if len(all) == 0 {
		return errors.New("it has no line of iperf3 (\"[  5]   0.00-10.00  sec  ..  Gbits/sec\"), and is no JSON of it")
	}
	return errors.New("it has no line of the whole time (sender, receiver or SUM): the measurement was cut off")
}
