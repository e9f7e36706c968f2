package runfolder

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"linerate/internal/record"
)

// The data of a page is its run as one JSON object (schema linerate/run/2), compressed by gzip (RFC 1952), in base64
// (RFC 4648), in lines, in an element that browsers neither run nor show.
const (
	pageElement = "run"
	pageType    = "application/gzip"
	pageLine    = 160 // characters in a line
)

// briefly names what the shortest form of a run omits.
const briefly = "histograms and curves, what each stream's sockets said, figures over time, single cores and " +
	"threads, what both ends counted; the inputs of the formulas of ceilings; the settings and warnings of each " +
	"repeat; what asked the storage, for more than 8 hosts what each of them did, and all digits of their times and " +
	"CPUs behind the fourth"

// PageLimit is the size of a page's data, in bytes of text, above which parts are omitted.
const PageLimit = 150_000

// manyExperiments is the number of experiments from which on a page is compressed fast, not as small as possible.
const manyExperiments = 1000

// PageData is the data of a run in its page.
type PageData struct {
	text    []byte // base64, in lines
	count   int    // experiments
	LeftOut string // what is omitted, in words; empty: nothing
}

// pageForms are the forms of a run, from the whole to the shortest. The first that fits is used. The last one is used
// at any size: it keeps every figure of every repeat, which comparisons need.
var pageForms = []struct {
	leftOut string
	form    func(*record.Experiment) *record.Experiment
}{
	{"", func(e *record.Experiment) *record.Experiment { return e }},
	{"histograms and what each stream's sockets said",
		func(e *record.Experiment) *record.Experiment { return thin(e, false) }},
	{briefly, func(e *record.Experiment) *record.Experiment { return thin(e, true) }},
}

// NewPageData compresses a run for its page. The other files of the run folder, such as snapshots and samples, are not
// part of it. The error says which number of the run JSON cannot represent.
func NewPageData(r *record.Run) (*PageData, error) {
	for i, f := range pageForms {
		limit := PageLimit
		if i == len(pageForms)-1 {
			limit = pageReadLimit
		}
		d := &PageData{count: len(r.Experiments), LeftOut: f.leftOut}
		level := gzip.DefaultCompression
		if i == len(pageForms)-1 && len(r.Experiments) > manyExperiments {
			level = gzip.BestSpeed // for ten thousand experiments: a third of the time, a seventh more characters
		}
		err := d.fill(r, limit, level, f.form)
		if errors.Is(err, errPageFull) {
			continue
		}
		return d, err
	}
	return nil, fmt.Errorf("they would take more than %d MB", pageReadLimit>>20)
}

var errPageFull = errors.New("the data are too large")

func (d *PageData) fill(r *record.Run, limit, level int, form func(*record.Experiment) *record.Experiment) error {
	out := &lines{limit: limit}
	coded := base64.NewEncoder(base64.StdEncoding, out)
	packed, err := gzip.NewWriterLevel(coded, level)
	if err != nil {
		return err
	}
	// Encoding and compression run on two cores.
	from, to := io.Pipe()
	done := make(chan error)
	go func() {
		_, err := io.CopyBuffer(struct{ io.Writer }{packed}, from, make([]byte, 256<<10))
		from.CloseWithError(err)
		done <- err
	}()
	ahead := bufio.NewWriterSize(to, 256<<10)
	err = writeRun(&readable{ahead, pageLimits}, r, d.LeftOut, form)
	if err == nil {
		err = ahead.Flush()
	}
	to.Close()
	if late := <-done; err == nil {
		err = late
	}
	if err == nil {
		err = packed.Close()
	}
	if err == nil {
		err = coded.Close()
	}
	d.text = out.text.Bytes()
	return err
}

// readable fails with errPageFull above the limit of the reader of pages.
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

// lines breaks the text into lines, and fails with errPageFull above its limit.
type lines struct {
	text  bytes.Buffer
	in    int // characters in the last line
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

// Write writes the element with the data. before is the SHA-256 of the page up to it, in hexadecimal.
func (d *PageData) Write(w io.Writer, before string) error {
	_, err := fmt.Fprintf(w, "<script type=%q id=%q data-experiments=\"%d\" data-before=%q>\n", pageType, pageElement,
		d.count, before)
	if err == nil {
		_, err = w.Write(d.text)
	}
	if err == nil {
		_, err = io.WriteString(w, "\n</script>\n")
	}
	return err
}
