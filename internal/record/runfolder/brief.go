package runfolder

import (
	"bufio"
	"bytes"
	"io"
	"linerate/internal/record"
	"slices"
	"strconv"
)

// thin returns a copy of an experiment without its largest parts, see strip.
func thin(e *record.Experiment, more bool) *record.Experiment {
	c := *e
	c.Repeats, c.FollowUp = slices.Clone(e.Repeats), slices.Clone(e.FollowUp)
	for i, x := range c.FollowUp {
		c.FollowUp[i] = thin(x, more)
	}
	if e.Latency != nil {
		l := *e.Latency
		c.Latency = &l
	}
	if more && e.Ceiling != nil {
		chain := *e.Ceiling
		chain.Hops = slices.Clone(chain.Hops)
		c.Ceiling = &chain
	}
	strip(&c, more)
	return &c
}

// strip removes the largest parts of an experiment: the histograms, and the streams of each repeat. With more it
// removes everything that the text briefly lists.
func strip(e *record.Experiment, more bool) {
	for i := range e.Repeats {
		p := &e.Repeats[i]
		p.Streams, p.Histogram, p.Block = nil, "", thinBlock(p.Block, more)
		if more {
			p.SeriesOut, p.SeriesIn, p.BusyFrom, p.BusyTo, p.RetransOut, p.RetransIn = nil, nil, nil, nil, nil, nil
			p.InEffect, p.Unknown, p.Warnings, p.Clocks = nil, nil, nil, nil
			p.CPU = ownCores(p.CPU)
		}
	}
	if e.Latency != nil {
		e.Latency.Histogram = ""
	}
	e.Block = thinBlock(e.Block, false)
	for _, x := range e.FollowUp {
		strip(x, more)
	}
	if !more {
		return
	}
	if e.Latency != nil {
		e.Latency.Curve = nil
	}
	if e.Ceiling != nil {
		for i := range e.Ceiling.Hops {
			e.Ceiling.Hops[i].Inputs = nil
		}
	}
	e.Accounts, e.SoftIRQ, e.Unknown, e.CPU = nil, nil, nil, ownCores(e.CPU)
	shortenBlock(e.Block)
}

// thinBlock returns the counts of a repeat without their histograms. With more it also omits the description of each
// worker, which the experiment's own Block has.
func thinBlock(b *record.Block, more bool) *record.Block {
	if b == nil {
		return nil
	}
	c := *b
	for _, n := range []**record.BlockCount{&c.Read, &c.Write} {
		if *n != nil {
			one := **n
			one.Histogram = ""
			*n = &one
		}
	}
	if more {
		c.Workers = nil
		if len(c.Hosts) > fewHosts {
			c.Hosts = nil
		}
	}
	return &c
}

// fewHosts is the largest number of hosts that are kept in each repeat of storage.
const fewHosts = 8

// shortenBlock removes details of workers and hosts that say little and compress badly: digits, and the names of files
// that were removed. b is a copy that thinBlock made.
func shortenBlock(b *record.Block) {
	if b == nil {
		return
	}
	b.Workers, b.Hosts = slices.Clone(b.Workers), slices.Clone(b.Hosts)
	for i := range b.Workers {
		w := &b.Workers[i]
		if w.Created {
			w.Path = ""
		}
		w.Making, w.Batch, w.LastSeconds = 0, 0, fourDigits(w.LastSeconds)
		w.FirstSeconds, w.LostSeconds, w.FinalSync = fourDigitsOf(w.FirstSeconds), fourDigitsOf(
			w.LostSeconds,
		), fourDigitsOf(w.FinalSync)
	}
	for i := range b.Hosts {
		h := &b.Hosts[i]
		h.Seconds, h.Cores, h.Own, h.Kernel = fourDigits(h.Seconds), fourDigitsOf(h.Cores), fourDigitsOf(h.Own), fourDigitsOf(
			h.Kernel,
		)
	}
}

func fourDigitsOf(v *float64) *float64 {
	if v == nil {
		return nil
	}
	out := fourDigits(*v)
	return &out
}

// fourDigits returns a value rounded to four significant digits.
func fourDigits(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return v
	}
	return out
}

// ownCores returns the entries of the measuring processes.
func ownCores(all []record.CPU) (own []record.CPU) {
	for _, one := range all {
		if one.Core == -1 && one.Host != "" {
			one.Threads = nil
			own = append(own, one)
		}
	}
	return own
}

// emptied are the lists and objects that thin leaves out, by the key of the experiment above them and by their
// indentation in the manifest.
var emptied = map[string]map[int][]string{
	"": {ofExperiment: {"accounts", "softirq", "unknown"}},
	"repeats": {
		10: {"streams", "series_out", "series_in", "busy_from", "busy_to", "retrans_out", "retrans_in", "in_effect",
			"unknown", "warnings", "clocks"},
	},
	"ceiling": {12: {"inputs"}},
	"latency": {8: {"curve"}},
}

// The indentation of the keys of the run, and of an experiment, in the manifest.
const ofRun, ofExperiment = 2, 6

// skimmer copies a manifest without most of what thin would remove, many times faster than decoding. It relies on the
// lines and the indentation of WriteManifest. A manifest in any other form passes through unchanged, because no line of
// JSON ends within a string.
type skimmer struct {
	from   *bufio.Reader
	out    bytes.Buffer
	inside bool   // among the experiments
	below  string // the current key of the experiment
	cpu    int    // the indentation of the list of cores that it is in; 0: in none
	held   []byte // a line
	err    error
}

func newSkimmer(from io.Reader) *skimmer { return &skimmer{from: bufio.NewReaderSize(from, 1<<20)} }

func (s *skimmer) Read(p []byte) (int, error) {
	for s.out.Len() < 256<<10 && s.err == nil {
		line, whole := s.line()
		if len(line) > 0 {
			s.take(line, whole)
		}
	}
	if s.out.Len() == 0 {
		return 0, s.err
	}
	return s.out.Read(p)
}

// line returns the next line, which is valid until the following call. It is not whole if it is part of a very long
// line.
func (s *skimmer) line() (line []byte, whole bool) {
	line, err := s.from.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		return line, false
	}
	s.err = err
	return line, err == nil
}

func (s *skimmer) take(line []byte, whole bool) {
	depth := indent(line)
	rest := line[depth:]
	if !whole {
		s.out.Write(rest)
		return
	}
	key, value := keyOf(rest)
	below := s.below
	switch {
	case depth == ofRun:
		s.inside = string(key) == "experiments"
	case depth == ofExperiment && key != nil:
		s.below, below = string(key), ""
	}
	place := s.inside && opens(value)
	switch {
	case depth <= s.cpu:
		s.cpu = 0
		s.out.Write(rest)
	case s.cpu > 0 && depth == s.cpu+2 && string(rest) == "{\n":
		s.core(depth)
	case s.cpu > 0 && string(key) == "threads" && opens(value),
		place && slices.Contains(emptied[below][depth], string(key)):
		s.out.Write(bytes.TrimRight(rest, "\n"))
		s.skip(depth)
	case place && string(key) == "cpu" && (depth == ofExperiment || depth == 10 && below == "repeats"):
		s.cpu = depth
		s.out.Write(rest)
	default:
		s.out.Write(rest)
	}
}

// skip drops lines up to the one that closes the list or object of this indentation.
func (s *skimmer) skip(depth int) {
	for s.err == nil {
		if line, whole := s.line(); whole && indent(line) == depth && (line[depth] == ']' || line[depth] == '}') {
			s.out.Write(line[depth:])
			return
		}
	}
}

// core drops one entry of a list of cores unless it is of a measuring process, which its first keys, host and core,
// show.
func (s *skimmer) core(depth int) {
	s.out.WriteString("{")
	host, _ := s.line()
	s.held = append(s.held[:0], host...)
	line, whole := s.line()
	if key, value := keyOf(line[indent(line):]); whole && string(key) == "core" && string(value) != "-1," &&
		bytes.Contains(s.held, []byte(`"host"`)) {
		s.skip(depth)
		return
	}
	s.out.Write(s.held)
	s.out.Write(line)
}

func indent(line []byte) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}

// keyOf splits a line "key": value.
func keyOf(line []byte) (key, value []byte) {
	if len(line) < 4 || line[0] != '"' {
		return nil, nil
	}
	end := bytes.IndexByte(line[1:], '"')
	if end < 0 || !bytes.HasPrefix(line[end+2:], []byte(": ")) {
		return nil, nil
	}
	return line[1 : end+1], bytes.TrimRight(line[end+4:], "\n")
}

func opens(value []byte) bool { return string(value) == "[" || string(value) == "{" }

// readAhead reads in a goroutine of its own, so that reading and decoding overlap, until it is closed.
func readAhead(from io.Reader) *io.PipeReader {
	out, in := io.Pipe()
	go func() {
		_, err := io.CopyBuffer(struct{ io.Writer }{in}, from, make([]byte, 256<<10))
		in.CloseWithError(err)
	}()
	return out
}
