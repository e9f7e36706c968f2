package claims

import (
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// diskSpdMega is the meaning of MB/s in older versions. Newer ones write MiB/s.
const diskSpdMega = "MB = 1048576 bytes"

// readDiskSpd reads diskspd's text or XML (-Rxml): the reads and the writes of the first time span, and their sum where
// both exist.
func readDiskSpd(text string) ([]Figure, error) {
	read, at := diskSpdText, strings.Index(text, "<Results>")
	if at >= 0 {
		read = diskSpdXML
	}
	out, err := read(text[max(at, 0):])
	for i := range out {
		out[i].OneThread = unit.Known(false)
	}
	return out, err
}

var (
	diskSpdTable   = lazyregexp.New(`(?m)^\s*(Total|Read|Write) IO\s*$`)
	diskSpdTotal   = lazyregexp.New(`^\s*total:\s*(\d.*)$`)
	diskSpdThread  = lazyregexp.New(`^\s*\d+\s*\|\s*(\d.*)$`)
	diskSpdTime    = lazyregexp.New(`actual test time:\s*([\d.]+)\s*s`)
	diskSpdThreads = lazyregexp.New(`(?m)^\s*thread count:\s*(\d+)`)
	diskSpdBlock   = lazyregexp.New(`block size:\s*([\d.]+\s*[KMG]?i?B?)\s*$`)
	diskSpdDepth   = lazyregexp.New(`number of outstanding I/O operations(?: per thread)?:\s*(\d+)`)
	diskSpdCPU     = lazyregexp.New(`(?m)^\s*avg\.\s*\|\s*([\d.]+)%`)
	diskSpdSpans   = lazyregexp.New(`Results for timespan (\d+):`)
)

func diskSpdText(text string) ([]Figure, error) {
	if n := len(diskSpdSpans.FindAllString(text, 3)); n > 1 {
		return nil, errors.New("it has several time spans; keep the output of one")
	}
	says := silent()
	seconds := 0.0
	if m := diskSpdTime.FindStringSubmatch(text); m != nil {
		seconds, _ = number(m[1])
	}
	if m := diskSpdThreads.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n < 1<<20 {
			says.Threads = unit.Known(n)
		}
	}
	if m := diskSpdCPU.FindStringSubmatch(text); m != nil {
		if v, ok := number(m[1]); ok && v <= 100 {
			says.MachineCPU = unit.Known(v / 100)
		}
	}
	targets := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch m := diskSpdDepth.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "path: "):
			targets++
		case m != nil:
			if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n < 1<<20 {
				says.Depth = unit.Known(n)
			}
		case strings.HasPrefix(line, "using random I/O"):
			says.Pattern = "random"
		case strings.HasPrefix(line, "using sequential I/O"),
			strings.HasPrefix(line, "using interlocked sequential I/O"):
			says.Pattern = "sequential"
		case strings.HasPrefix(line, "using software cache"):
			says.Buffered = unit.Known(true)
		case strings.HasPrefix(line, "software cache disabled"):
			says.Buffered = unit.Known(false)
		}
		if m := diskSpdBlock.FindStringSubmatch(line); m != nil {
			says.Block, _ = size(strings.ReplaceAll(m[1], " ", ""))
		}
	}
	if targets > 1 {
		says.Pattern = ""
		says.Depth, says.Block, says.Buffered = unit.Unknown[int]("several files were used"), 0, unit.Unknown[bool](
			"several files were used",
		)
	}
	tables := diskSpdTables(text)
	if len(tables) == 0 {
		if strings.Contains(text, "Input parameters:") || diskSpdTable.MatchString(text) {
			return nil, errors.New(
				"it has no table \"Total IO\" with its row \"total:\": the output was cut off, or the measurement was",
			)
		}
		return nil, errors.New("it has no table \"Total IO\" of diskspd, and is not a XML of it")
	}
	total, ok := tables["Total"]
	if !ok {
		return nil, errors.New("it has no table \"Total IO\" with its row \"total:\": keep the whole output")
	}
	build := func(way string, t diskSpdIO) Figure {
		f := says
		f.Way, f.Row, f.Seconds = way, way, seconds
		f.Rate, f.Printed, f.Meant, f.Line, f.Streams = unit.BitRate(8*t.rate), t.printed, t.meant, t.line, t.streams
		if !f.Threads.IsKnown() && len(t.streams) > 0 {
			f.Threads = unit.Known(len(t.streams))
		}
		if t.iops > 0 {
			f.IOPS = unit.Known(t.iops)
		}
		if t.latency > 0 {
			f.Latency = unit.Known(t.latency)
		}
		if f.Block == 0 && t.bytes > 0 && t.ios > 0 && targets < 2 {
			f.Block = unit.Bytes(t.bytes/t.ios + 0.5)
		}
		return f
	}
	return diskSpdFigures(build, total, tables["Read"], tables["Write"])
}

// diskSpdIO is one table of the output.
type diskSpdIO struct {
	bytes, ios, rate, iops, latency float64 // bytes per second, seconds; 0: not in the output
	printed, meant, line            string
	streams                         []unit.BitRate
}

// diskSpdFigures returns reads and writes, and their sum where both exist. Then the queue depth belongs to the sum.
func diskSpdFigures(build func(string, diskSpdIO) Figure, total, reads, writes diskSpdIO) ([]Figure, error) {
	if !(total.rate > 0) {
		return nil, errors.New("its total is nothing; the measurement did not carry data")
	}
	switch {
	case reads.rate > 0 && writes.rate > 0:
		r, w := build("read", reads), build("write", writes)
		return append([]Figure{build("mixed", total)}, shared([]Figure{r, w}, 2)...), nil
	case reads.rate > 0:
		return []Figure{build("read", total)}, nil
	case writes.rate > 0:
		return []Figure{build("write", total)}, nil
	}
	return []Figure{build("", total)}, nil
}

func diskSpdTables(text string) map[string]diskSpdIO {
	out := map[string]diskSpdIO{}
	name := ""
	var columns []string
	var t diskSpdIO
	fields := func(row string) map[string]float64 {
		values := map[string]float64{}
		for i, field := range strings.Split(row, "|") {
			if v, ok := number(strings.TrimSpace(field)); ok && i+1 < len(columns) {
				values[columns[i+1]] = v
			}
		}
		return values
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := diskSpdTable.FindStringSubmatch(line); m != nil {
			name, columns, t = m[1], nil, diskSpdIO{}
			continue
		}
		if name == "" {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "thread |") {
			columns = strings.Split(line, "|")
			for i := range columns {
				columns[i] = strings.TrimSpace(columns[i])
			}
			continue
		}
		column := ""
		for _, c := range []string{"MiB/s", "MB/s"} {
			if slices.Contains(columns, c) {
				column = c
				break
			}
		}
		if column == "" {
			continue
		}
		if m := diskSpdThread.FindStringSubmatch(line); m != nil {
			if v := fields(m[1])[column]; v > 0 {
				t.streams = append(t.streams, unit.BitRate(v*8*(1<<20)))
			}
			continue
		}
		m := diskSpdTotal.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		v := fields(m[1])
		t.bytes, t.ios, t.rate, t.iops, t.latency = v["bytes"], v["I/Os"], v[column]*(1<<20), v["I/O per s"], v["AvgLat"]/1000
		t.printed, t.line = fmt.Sprintf("%.2f %s", v[column], column), tidy(name+" IO: "+line)
		if column == "MB/s" {
			t.meant = diskSpdMega
		}
		if _, again := out[name]; !again {
			out[name] = t
		}
		name = ""
	}
	return out
}

type diskSpdTarget struct {
	Block        int64   `xml:"BlockSize"`
	NoCache      string  `xml:"DisableOSCache"`
	AllCache     string  `xml:"DisableAllCache"`
	Depth        int     `xml:"RequestCount"`
	ReadBytes    float64 `xml:"ReadBytes"`
	ReadCount    float64 `xml:"ReadCount"`
	WriteBytes   float64 `xml:"WriteBytes"`
	WriteCount   float64 `xml:"WriteCount"`
	ReadLatency  float64 `xml:"AverageReadLatencyMilliseconds"`
	WriteLatency float64 `xml:"AverageWriteLatencyMilliseconds"`
}

func diskSpdXML(text string) ([]Figure, error) {
	var o struct {
		XMLName xml.Name        `xml:"Results"`
		Version string          `xml:"System>Tool>Version"`
		Asked   []diskSpdTarget `xml:"Profile>TimeSpans>TimeSpan>Targets>Target"`
		Spans   []struct {
			Seconds float64 `xml:"TestTimeSeconds"`
			Threads int     `xml:"ThreadCount"`
			CPU     float64 `xml:"CpuUtilization>Average>UsagePercent"`
			Latency float64 `xml:"Latency>AverageTotalMilliseconds"`
			Read    float64 `xml:"Latency>AverageReadMilliseconds"`
			Write   float64 `xml:"Latency>AverageWriteMilliseconds"`
			Thread  []struct {
				Targets []diskSpdTarget `xml:"Target"`
			} `xml:"Thread"`
		} `xml:"TimeSpan"`
	}
	if err := unmarshal(text, &o); err != nil {
		return nil, err
	}
	if len(o.Spans) != 1 {
		return nil, fmt.Errorf("it has %d time spans; keep the output of one", len(o.Spans))
	}
	s := o.Spans[0]
	if !(s.Seconds > 0) {
		return nil, errors.New("its time span has no TestTimeSeconds: the measurement was cut off")
	}
	says := silent()
	says.Version, says.Seconds = o.Version, s.Seconds
	if s.Threads > 0 && s.Threads < 1<<20 {
		says.Threads = unit.Known(s.Threads)
	}
	if s.CPU > 0 && s.CPU <= 100 {
		says.MachineCPU = unit.Known(s.CPU / 100)
	}
	if len(o.Asked) == 1 {
		a := o.Asked[0]
		if a.Depth > 0 && a.Depth < 1<<20 {
			says.Depth = unit.Known(a.Depth)
		}
		if a.Block > 0 && a.Block < 1<<40 {
			says.Block = unit.Bytes(a.Block)
		}
		if a.NoCache != "" || a.AllCache != "" {
			says.Buffered = unit.Known(a.NoCache != "true" && a.AllCache != "true")
		}
	}
	var io [3]diskSpdIO // all, reads, writes
	for _, t := range s.Thread {
		var mine float64
		for _, x := range t.Targets {
			io[1].bytes += x.ReadBytes
			io[1].ios += x.ReadCount
			io[2].bytes += x.WriteBytes
			io[2].ios += x.WriteCount
			mine += x.ReadBytes + x.WriteBytes
		}
		if mine > 0 {
			io[0].streams = append(io[0].streams, unit.BitRate(8*mine/s.Seconds))
		}
	}
	io[0].bytes, io[0].ios = io[1].bytes+io[2].bytes, io[1].ios+io[2].ios
	io[0].latency, io[1].latency, io[2].latency = s.Latency/1000, s.Read/1000, s.Write/1000
	for i, name := range []string{"bytes", "ReadBytes", "WriteBytes"} {
		io[i].rate, io[i].iops = io[i].bytes/s.Seconds, io[i].ios/s.Seconds
		io[i].printed = fmt.Sprintf("%.0f bytes in %.2f s", io[i].bytes, s.Seconds)
		io[i].line = fmt.Sprintf("%s %.0f, TestTimeSeconds %.2f", name, io[i].bytes, s.Seconds)
	}
	build := func(way string, t diskSpdIO) Figure {
		f := says
		f.Way, f.Row = way, way
		f.Rate, f.Printed, f.Line, f.Streams = unit.BitRate(8*t.rate), t.printed, t.line, t.streams
		f.IOPS = unit.Known(t.iops)
		if t.latency > 0 {
			f.Latency = unit.Known(t.latency)
		}
		return f
	}
	return diskSpdFigures(build, io[0], io[1], io[2])
}
