package result

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
)

// The data of a page is its run as one JSON object (schema linerate/run/1), compressed by gzip (RFC 1952), in base64 (RFC 4648), in
// lines, in an element that no browser runs or shows.
const (
	pageElement = "run"
	pageType    = "application/gzip"
	pageLine    = 160 // letters in a line
)

// PageLimit is how many bytes of text the data of a page may take before parts of it are left out.
const PageLimit = 200_000

// PageData is what a page carries of its run.
type PageData struct {
	text    []byte // base64, in lines
	count   int    // experiments
	LeftOut string // what is not in it, in words; empty: everything is
}

// pageForms are what is left out of a run whose data are too large, the first that is enough. The last stands whatever it takes:
// it has every figure of every repeat, which is what runs are compared by.
var pageForms = []struct {
	leftOut string
	form    func(*Experiment) *Experiment
}{
	{"", func(e *Experiment) *Experiment { return e }},
	{"histograms and what each stream's sockets said", func(e *Experiment) *Experiment { return e.thin(false) }},
	{"histograms, what each stream's sockets said, figures over time, and of each repeat the single cores", func(e *Experiment) *Experiment { return e.thin(true) }},
}

// NewPageData compresses a run for its page. The files of the run folder are not in it, captures and samples among them. An error: the run
// has a number that JSON cannot hold.
func NewPageData(r *Run) (*PageData, error) {
	for i, f := range pageForms {
		limit := PageLimit
		if i == len(pageForms)-1 {
			limit = pageReadLimit
		}
		d := &PageData{count: len(r.Experiments), LeftOut: f.leftOut}
		err := d.fill(r, limit, f.form)
		if errors.Is(err, errPageFull) {
			continue
		}
		return d, err
	}
	return nil, fmt.Errorf("they would take more than %d MB", pageReadLimit>>20)
}

var errPageFull = errors.New("the data are too large")

func (d *PageData) fill(r *Run, limit int, form func(*Experiment) *Experiment) error {
	out := &lines{limit: limit}
	coded := base64.NewEncoder(base64.StdEncoding, out)
	packed := gzip.NewWriter(coded)
	err := writeRun(&readable{packed, pageLimits}, r, d.LeftOut, form)
	if err == nil {
		err = packed.Close()
	}
	if err == nil {
		err = coded.Close()
	}
	d.text = out.text.Bytes()
	return err
}

// readable ends with errPageFull above what the reader of a page takes.
type readable struct {
	to   io.Writer
	left unpacked
}

func (w *readable) Write(p []byte) (int, error) {
	if !w.left.take(p) {
		return 0, errPageFull
	}
	return w.to.Write(p)
}

// lines breaks what is written into lines, and ends with errPageFull above its limit.
type lines struct {
	text  bytes.Buffer
	in    int // letters in the last line
	limit int
}

func (l *lines) Write(p []byte) (int, error) {
	if l.text.Len()+len(p) > l.limit {
		return 0, errPageFull
	}
	for rest := p; len(rest) > 0; {
		n := min(len(rest), pageLine-l.in)
		l.text.Write(rest[:n])
		if l.in += n; l.in == pageLine {
			l.text.WriteByte('\n')
			l.in = 0
		}
		rest = rest[n:]
	}
	return len(p), nil
}

// Write writes the element that carries the data. before is the SHA-256 of the page up to it, in hexadecimal.
func (d *PageData) Write(w io.Writer, before string) error {
	_, err := fmt.Fprintf(w, "<script type=%q id=%q data-experiments=\"%d\" data-before=%q>\n", pageType, pageElement, d.count, before)
	if err == nil {
		_, err = w.Write(d.text)
	}
	if err == nil {
		_, err = io.WriteString(w, "\n</script>\n")
	}
	return err
}

// thin is a copy of an experiment without its largest parts: the histograms, the streams of each repeat; with more also its figures over time and its cores, but for
// the measuring processes themselves.
func (e *Experiment) thin(more bool) *Experiment {
	c := *e
	c.Repeats, c.Chase = make([]Repeat, len(e.Repeats)), nil
	for _, x := range e.Chase {
		c.Chase = append(c.Chase, x.thin(more))
	}
	for i, p := range e.Repeats {
		p.Streams, p.Histogram = nil, ""
		if more {
			p.SeriesOut, p.SeriesIn, p.BusyFrom, p.BusyTo, p.RetransOut, p.RetransIn = nil, nil, nil, nil, nil, nil
			var own []CPU
			for _, one := range p.CPU {
				if one.Core == -1 {
					one.Threads = nil
					own = append(own, one)
				}
			}
			p.CPU = own
		}
		c.Repeats[i] = p
	}
	if e.Latency != nil {
		l := *e.Latency
		l.Histogram = ""
		c.Latency = &l
	}
	return &c
}
