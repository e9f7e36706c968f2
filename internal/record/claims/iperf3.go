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
	read, at := iperf3Text, jsonAt(text, `"end"`)
	if at >= 0 {
		read = iperf3JSON
	}
	out, err := read(text[max(at, 0):])
	for i := range out {
		out[i].OneThread = oneThread(out[i].Version)
	}
	return out, err
}

// The two figures of a measurement in both directions at once (--bidir).
const (
	fromClient = "client to server, both directions at once"
	fromServer = "server to client, both directions at once"
)

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
	Lost        *float64 `json:"lost_packets"`
	Packets     float64  `json:"packets"`
}

func iperf3JSON(text string) ([]Figure, error) {
	f := silent()
	var o struct {
		Error string
		Start struct {
			Version string
			MSS     int                       `json:"tcp_mss_default"`
			Test    struct{ Protocol string } `json:"test_start"`
		}
		End struct {
			Streams []struct{ Sender, Receiver, UDP *iperf3Sum }
			Sum     *iperf3Sum
			Sent    *iperf3Sum `json:"sum_sent"`
			Got     *iperf3Sum `json:"sum_received"`
			Back    *iperf3Sum `json:"sum_received_bidir_reverse"`
			CPU     *struct {
				Host   *float64 `json:"host_total"`
				Remote *float64 `json:"remote_total"`
			} `json:"cpu_utilization_percent"`
		}
	}
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&o); err != nil {
		return nil, fmt.Errorf("it begins as JSON and is none, or was cut off: %w", err)
	}
	if !strings.Contains(text, `"start"`) && !strings.Contains(text, `"end"`) {
		return nil, errors.New("it is JSON, and not of iperf3 (it has neither \"start\" nor \"end\")")
	}
	if o.Error != "" {
		return nil, fmt.Errorf("iperf3 says of it: %.200s", o.Error)
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
		return nil, errors.New("it has no sum of the whole time (end.sum_received or end.sum): the measurement was cut off")
	}
	if o.Start.MSS >= 536 && o.Start.MSS < 1<<16 {
		f.MaxSegment = unit.Known(o.Start.MSS)
	}
	if s := o.End.Sum; s != nil && f.Transport == "udp" && s.Lost != nil && s.Packets > 0 {
		f.lose(*s.Lost, s.Packets, *sum.Bits)
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
	if back := o.End.Back; back != nil && back.Bits != nil && *back.Bits > 0 {
		f.Row, f.Streams = fromClient, nil
		g := f
		g.Row, g.Rate, g.Retransmits = fromServer, unit.BitRate(*back.Bits),
			unit.Unknown[int64]("it is of the other direction")
		g.Printed = fmt.Sprintf("%.0f bits/s", *back.Bits)
		g.Line = fmt.Sprintf("end.sum_received_bidir_reverse.bits_per_second: %.0f", *back.Bits)
		for _, x := range []*Figure{&f, &g} { // the processes carry both directions
			x.SenderCPU, x.ReceiverCPU = unit.Unknown[float64]("of both directions"),
				unit.Unknown[float64]("of both directions")
		}
		return []Figure{f, g}, nil
	}
	return []Figure{f}, nil
}

// lose sets the lost share of UDP's datagrams, and the rate at which they were sent.
func (f *Figure) lose(lost, of, rate float64) {
	if lost < 0 || of <= 0 || lost > of {
		return
	}
	f.Lost = unit.Known(lost / of)
	f.Sent = unit.BitRate(rate)
	if lost < of && f.Rate > 0 {
		f.Sent = f.Rate / unit.BitRate(1-lost/of)
	}
}

// iperf3Line is a line of a stream or of all: "[ 5] 0.00-10.00 sec 3.50 GBytes 3.01 Gbits/sec 0 sender". It may be
// anywhere in the text, because web pages lose line breaks.
var (
	iperf3Line = lazyregexp.New(
		`\[ *(\d+|SUM)\](?:\[([TR]X)-[CS]\])?\s+([\d.]+)-([\d.]+)\s+sec\s+[\d.]+\s+[KMGT]?Bytes\s+([\d.]+)\s+([KMGT]?)bits/sec((?:\s+[\d.]+(?:\s+ms)?(?:\s+\d+/\d+)?(?:\s+\([\d.e+-]+%\))?)*)(?:\s+(sender|receiver))?`,
	)
	iperf3Lost       = lazyregexp.New(`(\d+)/(\d+)`)
	iperf3Version    = lazyregexp.New(`\biperf (3\.\d+[\w.+-]*)`)
	iperf3Segment    = lazyregexp.New(`(?m)^\s*TCP MSS: (\d+)|^Control connection MSS (\d+)`)
	iperf3CPU        = lazyregexp.New(`CPU Utilization: (local|remote)/(sender|receiver) ([\d.]+)%[^,\n]*, (?:local|remote)/(?:sender|receiver) ([\d.]+)%`)
	iperf3Congestion = lazyregexp.New(`bits/sec\s+\d+\s+([\d.]+ [KMG]?Bytes)\s*$`)
	// iperf3Ways are the tags of the two directions of --bidir, as the client prints them.
	iperf3Ways = lazyregexp.New(`\]\[[TR]X-([CS])\]`)
)

// iperf3Text reads the text, of which a measurement in both directions at once has two figures.
func iperf3Text(text string) ([]Figure, error) {
	of := map[string]*strings.Builder{}
	server := false
	if iperf3Ways.MatchString(text) {
		for line := range strings.Lines(text) {
			m := iperf3Line.FindStringSubmatch(line)
			if m == nil || m[2] == "" {
				continue
			}
			server = server || strings.Contains(line, "X-S]")
			if of[m[2]] == nil {
				of[m[2]] = &strings.Builder{}
			}
			of[m[2]].WriteString(line)
		}
	}
	if len(of) < 2 {
		f := silent()
		if err := iperf3Whole(text, &f); err != nil {
			return nil, err
		}
		return []Figure{f}, nil
	}
	var out []Figure
	for _, tag := range []string{"TX", "RX"} {
		f := silent()
		head, _, _ := strings.Cut(text, "[ ID]")
		if err := iperf3Whole(head+of[tag].String(), &f); err != nil {
			return nil, err
		}
		f.Row = fromClient
		if (tag == "TX") == server {
			f.Row = fromServer
		}
		out = append(out, f)
	}
	return out, nil
}

// iperf3Whole reads one direction.
func iperf3Whole(text string, f *Figure) error {
	f.Transport = "tcp"
	if m := iperf3Version.FindStringSubmatch(text); m != nil {
		f.Version = m[1]
	}
	if strings.Contains(text, "Lost/Total") {
		f.Transport = "udp"
	}
	if m := iperf3Segment.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1] + m[2]); err == nil && n >= 536 && n < 1<<16 {
			f.MaxSegment = unit.Known(n)
		}
	}
	if m := iperf3CPU.FindStringSubmatch(text); m != nil {
		a, ok1 := number(m[3])
		b, ok2 := number(m[4])
		if m[2] == "receiver" {
			a, b = b, a
		}
		if ok1 && ok2 {
			f.SenderCPU, f.ReceiverCPU = unit.Known(a/100), unit.Known(b/100)
		}
	}
	type line struct {
		id, role, text, printed string
		from, to, rate          float64
		lost, of                float64
		retransmits             unit.Opt[int64]
	}
	var all []line
	longest := 0.0
	for _, m := range iperf3Line.FindAllStringSubmatch(text, 100_000) {
		from, err1 := strconv.ParseFloat(m[3], 64)
		to, err2 := strconv.ParseFloat(m[4], 64)
		rate, err3 := strconv.ParseFloat(m[5], 64)
		if err1 != nil || err2 != nil || err3 != nil {
			continue
		}
		l := line{id: m[1], role: m[8], text: strings.Join(strings.Fields(m[0]), " "), from: from, to: to,
			printed: m[5] + " " + m[6] + "bits/sec",
			rate:    rate * map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[m[6]]}
		if n, err := strconv.ParseInt(strings.TrimSpace(m[7]), 10, 64); err == nil {
			l.retransmits = unit.Known(n)
		}
		// For UDP, the sender's line has the rate that was sent and the share that did not arrive.
		if lost := iperf3Lost.FindStringSubmatch(m[7]); lost != nil {
			gone, err1 := strconv.ParseFloat(lost[1], 64)
			of, err2 := strconv.ParseFloat(lost[2], 64)
			if err1 == nil && err2 == nil && of > 0 && gone <= of {
				l.lost, l.of = gone, of
				if l.role != "receiver" {
					l.rate *= 1 - gone/of
				}
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
			f.lose(last.lost, last.of, 0)
		case len(streams) == 1:
			f.Rate, f.Seconds, f.Line, f.Printed = unit.BitRate(total), streams[0].to, streams[0].text, streams[0].printed
			f.lose(streams[0].lost, streams[0].of, 0)
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
		if f.Rate == 0 && all[0].rate > 0 {
			first := strings.TrimRight(firstLine(text, all[0].text), " ")
			f.Stalled = "first " + all[0].printed
			if m := iperf3Congestion.FindStringSubmatch(first); m != nil {
				f.Stalled += ", with a congestion window of " + m[1]
			}
		}
		return nil
	}
	if len(all) == 0 {
		return errors.New("it has no line of iperf3 (\"[  5]   0.00-10.00  sec  ..  Gbits/sec\"), and is not a JSON of it")
	}
	return errors.New("it has no line of the whole time (sender, receiver or SUM): the measurement was cut off")
}

// firstLine returns the line of a text with an interval, whose spaces may differ.
func firstLine(text, interval string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.Join(strings.Fields(line), " "), interval) {
			return strings.TrimRight(line, "\n")
		}
	}
	return ""
}

// Packets are the packets of a TCP connection, as its largest segment shows.
type Packets struct {
	MTU              int
	Timestamps, IPv6 bool
}

// Packets returns the MTU and the headers that explain the largest segment; ok is false if none or several do: an MTU
// is a multiple of 100 bytes.
func (f *Figure) Packets() (p Packets, ok bool) {
	n, known := f.MaxSegment.Get()
	if !known {
		return p, false
	}
	for _, x := range []Packets{{n + 52, true, false}, {n + 40, false, false}, {n + 72, true, true}, {n + 60, false,
		true}} {
		if x.MTU%100 == 0 {
			if ok {
				return Packets{}, false
			}
			p, ok = x, true
		}
	}
	return p, ok
}
