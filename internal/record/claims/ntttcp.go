package claims

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// ntttcpMega is the meaning of MB in ntttcp for Windows: its rows of MB/s and of mbps differ by 8 x 1.048576.
const ntttcpMega = "MB = 1048576 bytes"

// readNTttcp reads the text or the XML (-xml) of ntttcp for Windows. Each session has a thread.
func readNTttcp(text string) ([]Figure, error) {
	var f Figure
	var err error
	if at := strings.Index(text, "<ntttcp"); at >= 0 {
		f, err = ntttcpXML(text[at:])
	} else {
		f, err = ntttcpText(text)
	}
	if err != nil {
		return nil, err
	}
	f.OneThread = unit.Known(false)
	return []Figure{f}, nil
}

var (
	ntttcpLinux = lazyregexp.New(`(?m)^NTTTCP for Linux (\d[\w.]*)|^\d\d:\d\d:\d\d INFO:`)
	ntttcpInfo  = lazyregexp.New(`(?m)^\d\d:\d\d:\d\d INFO:\s+(test duration|total bytes|throughput|retrans segs)[ \t]*:[ \t]*([\d.]+)[ \t]*(\S*)`)
	ntttcpCount = lazyregexp.New(`(?m) INFO:\s+(\d+) connections tested`)
)

// ntttcpOfLinux reads the totals of ntttcp for Linux (microsoft/ntttcp-for-Linux, src/parameter.c). The bytes and the
// time must give the rate.
func ntttcpOfLinux(text string) (Figure, error) {
	f := silent()
	f.Version, f.Transport = ntttcpLinux.FindStringSubmatch(text)[1], "tcp"
	says := map[string]float64{}
	for _, m := range ntttcpInfo.FindAllStringSubmatch(text, 100) {
		v, ok := number(m[2])
		if !ok {
			continue
		}
		if m[1] == "throughput" {
			k, known := factor(strings.TrimSuffix(m[3], "bps"))
			if !known || !strings.HasSuffix(m[3], "bps") {
				return f, fmt.Errorf("its throughput has an unknown unit: %.40s", m[3])
			}
			v *= k
			f.Printed, f.Line = m[2]+" "+m[3], tidy(m[0])
		}
		says[m[1]] = v
	}
	rate, ok := says["throughput"]
	if !ok {
		return f, errors.New("it has no line with its throughput below Totals: the measurement was cut off")
	}
	f.Rate, f.Seconds = unit.BitRate(rate), says["test duration"]
	if bytes, time := says["total bytes"], says["test duration"]; bytes > 0 && time > 0 {
		if want := bytes * 8 / time; want > rate*1.05 || want < rate*0.95 {
			return f, fmt.Errorf("its totals contradict each other: %.0f bytes in %v s are %v, and it says %s", bytes, time,
				unit.BitRate(want), f.Printed)
		}
	}
	if n, ok := says["retrans segs"]; ok {
		f.Retransmits = unit.Known(int64(n))
	}
	if m := ntttcpCount.FindStringSubmatch(text); m != nil {
		if n, ok := number(m[1]); ok && n > 0 {
			f.Threads = unit.Known(int(n))
		}
	}
	return f, nil
}

// unmarshal parses XML that was converted to UTF-8, whatever encoding its declaration names.
func unmarshal(text string, into any) error {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("it begins as XML and is none, or was cut off: %w", err)
	}
	return nil
}

type ntttcpMetric struct {
	Metric string  `xml:"metric,attr"`
	Value  float64 `xml:",chardata"`
}

func ntttcpXML(text string) (Figure, error) {
	f := silent()
	var o struct {
		XMLName xml.Name
		Version string `xml:"version,attr"`
		UDP     string `xml:"parameters>udp"`
		Thread  []struct {
			Rate []ntttcpMetric `xml:"throughput"`
		} `xml:"thread"`
		Seconds       float64        `xml:"realtime"`
		Rate          []ntttcpMetric `xml:"throughput"`
		Frame         float64        `xml:"avg_frame_size"`
		Sent          float64        `xml:"packets_sent"`
		Received      float64        `xml:"packets_received"`
		Retransmitted *int64         `xml:"packets_retransmitted"`
		CPU           *float64       `xml:"cpu"`
		Block         int64          `xml:"bufferLen"`
		IO            int            `xml:"io"`
	}
	if err := unmarshal(text, &o); err != nil {
		return f, err
	}
	f.Version, f.Seconds = o.Version, o.Seconds
	f.Transport = "tcp"
	if strings.EqualFold(strings.TrimSpace(o.UDP), "true") {
		f.Transport = "udp"
	}
	for _, m := range o.Rate {
		if m.Metric == "mbps" {
			f.Rate = unit.BitRate(m.Value * 1e6)
			f.Printed = fmt.Sprintf("%.3f mbps", m.Value)
			f.Line = fmt.Sprintf("%s: throughput %.3f mbps", o.XMLName.Local, m.Value)
		}
	}
	if f.Rate == 0 {
		return f, errors.New("it has no throughput of the whole in mbps: the measurement was cut off")
	}
	for _, t := range o.Thread {
		for _, m := range t.Rate {
			if m.Metric == "mbps" && m.Value > 0 {
				f.Streams = append(f.Streams, unit.BitRate(m.Value*1e6))
			}
		}
	}
	if n := len(o.Thread); n > 0 {
		f.Threads = unit.Known(n)
	}
	if o.Block > 0 && o.Block < 1<<40 {
		f.Block = unit.Bytes(o.Block)
	}
	f.ntttcpCounted(o.Frame, f.Transport, o.XMLName.Local == "ntttcps")
	if o.Retransmitted != nil && f.Transport == "tcp" {
		f.Retransmits = unit.Known(*o.Retransmitted)
	}
	if o.CPU != nil && *o.CPU >= 0 && *o.CPU <= 100 {
		f.MachineCPU = unit.Known(*o.CPU / 100)
	}
	return f, nil
}

// ntttcpCounted sets Segment from the average frame, which is bytes over packets of the system's counters. That does
// not hold for a receiver, whose packets include acknowledgements, and for UDP, whose datagram size the program
// chooses.
func (f *Figure) ntttcpCounted(frame float64, transport string, sends bool) {
	if frame > 0 && frame < 1<<20 && transport == "tcp" && sends {
		f.Segment = unit.Known(frame)
	}
}

var (
	ntttcpVersion = lazyregexp.New(`Copyright Version (\d[\w.]*)`)
	ntttcpThread  = lazyregexp.New(`(?m)^\s*\d+\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s*$`)
	ntttcpTotal   = lazyregexp.New(
		`Bytes\(MEG\)\s+realtime\(s\)\s+Avg Frame Size\s+Throughput\((MB/s|Mbps|KB/s|GB/s)\)[\s=]+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)`,
	)
	ntttcpBlocks = lazyregexp.New(`Throughput\(Buffers/s\)\s+Cycles/Byte\s+Buffers[\s=]+([\d.]+)\s+([\d.]+)\s+([\d.]+)`)
	ntttcpEnd    = lazyregexp.New(
		`Packets Sent\s+Packets Received\s+Retransmits\s+Errors\s+Avg\. CPU %[\s=]+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+([\d.]+)`,
	)
)

// ntttcpText reads the tables under "Totals". In each row, the bytes and the time must give the rate.
func ntttcpText(text string) (Figure, error) {
	if ntttcpLinux.MatchString(text) {
		return ntttcpOfLinux(text)
	}
	f := silent()
	if m := ntttcpVersion.FindStringSubmatch(text); m != nil {
		f.Version = m[1]
	}
	m := ntttcpTotal.FindStringSubmatch(text)
	if m == nil {
		if strings.Contains(text, "Throughput(KB/s)") || f.Version != "" {
			return f, errors.New(
				"it has no totals (\"Bytes(MEG)  realtime(s)  Avg Frame Size  Throughput(MB/s)\"): the measurement was cut off",
			)
		}
		return f, errors.New(
			"it has no totals of ntttcp for Windows (\"Bytes(MEG)  realtime(s)  Avg Frame Size  Throughput(MB/s)\"), and " +
				"is " +
				"no XML of it",
		)
	}
	bytes, ok1 := number(m[2])
	seconds, ok2 := number(m[3])
	frame, ok3 := number(m[4])
	rate, ok4 := number(m[5])
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return f, fmt.Errorf("its totals are not numbers: %.100s", tidy(m[0]))
	}
	prefix, bits := strings.CutSuffix(m[1], "bps")
	if !bits {
		prefix = strings.TrimSuffix(m[1], "B/s") + "i"
		f.Meant = ntttcpMega
	}
	k, _ := factor(prefix)
	if bits {
		f.Rate = unit.BitRate(rate * k)
	} else {
		f.Rate = unit.BitRate(rate * k * 8)
	}
	f.Seconds, f.Printed = seconds, m[5]+" "+m[1]
	f.Line = fmt.Sprintf("Bytes(MEG) %s, realtime(s) %s, Throughput(%s) %s", m[2], m[3], m[1], m[5])
	if want := bytes * 8 * (1 << 20) / seconds; seconds > 0 &&
		(want > float64(f.Rate)*1.05 || want < float64(f.Rate)*0.95) {
		return f, fmt.Errorf("its totals contradict each other: %s MB of 1048576 bytes in %s s are %v, and it says %s",
			m[2], m[3], unit.BitRate(want), f.Printed)
	}
	for _, t := range ntttcpThread.FindAllStringSubmatch(text[:strings.Index(text, "Bytes(MEG)")], 10_000) {
		if v, ok := number(t[2]); ok && v > 0 {
			f.Streams = append(f.Streams, unit.BitRate(v*1024*8))
		}
	}
	if n := len(f.Streams); n > 0 {
		f.Threads = unit.Known(n)
	}
	if b := ntttcpBlocks.FindStringSubmatch(text); b != nil {
		if n, ok := number(b[3]); ok && n > 0 {
			f.Block = unit.Bytes(bytes*(1<<20)/n + 0.5)
		}
	}
	if e := ntttcpEnd.FindStringSubmatch(text); e != nil {
		sent, _ := number(e[1])
		got, _ := number(e[2])
		again, _ := number(e[3])
		cpu, ok := number(e[5])
		if ok && cpu <= 100 {
			f.MachineCPU = unit.Known(cpu / 100)
		}
		// The text does not name the transport. Packets in both directions mean TCP, and the end that sends has
		// more of them.
		if sent > 0 && got > 0 {
			f.Transport = "tcp"
			f.Retransmits = unit.Known(int64(again))
			f.ntttcpCounted(frame, "tcp", sent > got)
		}
	}
	return f, nil
}
