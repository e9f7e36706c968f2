package runfolder

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"linerate/internal/record"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// pageReadLimit bounds the size of a page in bytes, because pages may come from anyone.
const pageReadLimit = 64 << 20

// unpacked bounds the JSON in a page: its bytes, and its objects and nulls. Each of these may take some hundred bytes
// of memory, however short it is.
type unpacked struct{ bytes, objects int }

var pageLimits = unpacked{bytes: 128 << 20, objects: 2 << 20}

// generator matches the element by which linerate's pages name their writer.
var generator = regexp.MustCompile(`(?i)<meta name="generator" content="linerate\b`)

// IsPage reports whether a file begins like a page of linerate.
func IsPage(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 4096))
	return generator.Match(b)
}

// openPage reads the run in a page. With shared, experiments may share equal values, see readRun.
func openPage(name string, shared bool) (*Opened, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if info.Size() > pageReadLimit {
		return nil, inputf("%s has more than %d MiB, which no page of a run has; a browser may still show it", name,
			pageReadLimit>>20)
	}
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	r, notes, err := readPage(b, pageLimits, shared)
	if err != nil {
		return nil, inputf("%s %v", name, err)
	}
	for i, n := range notes {
		notes[i] = name + " " + n
	}
	return &Opened{Dir: name, Run: r, Complete: true, Page: true, Notes: notes}, nil
}

// readPage reads the run in a page. notes says what is odd or missing, err why nothing can be read. Both continue a
// sentence that begins with the page's name. With shared, experiments may share equal values, see readRun.
func readPage(b []byte, limits unpacked, shared bool) (r *record.Run, notes []string, err error) {
	start, open := pageTag(b)
	whole := bytes.Contains(b[max(0, len(b)-200):], []byte("</html>"))
	switch ours := generator.Match(b[:min(len(b), 4096)]); {
	case open == "" && !ours:
		return nil, nil, errors.New(
			"is not a page that linerate wrote; give the report.html of a run, its folder, or a file with a summary",
		)
	case open == "" && !whole:
		return nil, nil, errors.New(
			"is cut off before the run's data, which are at its end; a browser shows what there is of it; get the file again",
		)
	case open == "":
		return nil, nil, errors.New(
			"is a page of linerate that carries no run (as plans, labels and certificates do not); a browser shows it; give " +
				"the run's report.html or its folder",
		)
	case !strings.Contains(open, `type="`+pageType+`"`):
		return nil, nil, errors.New(
			"carries its data in a form that this version does not know; a browser shows it; read it with the linerate that " +
				"wrote it",
		)
	}
	body := b[start+len(open):]
	if end := bytes.IndexByte(body, '<'); end >= 0 {
		body = body[:end]
	}
	packed, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(body)))
	if err != nil {
		return nil, nil, fmt.Errorf(
			"has data that were cut off or changed (%w); a browser shows what there is of it; get the file again", ended(err))
	}
	r, leftOut, err := readRun(bufio.NewReaderSize(&bounded{from: packed, left: limits}, 64<<10),
		shared && len(body) > 2*PageLimit)
	switch {
	case errors.As(err, new(refused)):
		return nil, nil, fmt.Errorf("cannot be read: %w; a browser shows it", err)
	case errors.Is(err, errBomb) || err != nil && len(r.Experiments) == 0:
		return nil, nil, fmt.Errorf(
			"has data that cannot be read (%w); a browser shows what there is of it; get the file again", err)
	case err != nil:
		of := ""
		if n, err := strconv.Atoi(attribute(open, "data-experiments")); err == nil && n >= len(r.Experiments) {
			of = fmt.Sprintf(" of %d", n)
		}
		r.Complete = false
		notes = append(
			notes,
			fmt.Sprintf("has data that were cut off or changed (%v): %d%s experiments can be read, and only these are shown",
				err, len(r.Experiments), of),
		)
	}
	if sum := sha256.Sum256(b[:start]); err == nil && attribute(open, "data-before") != hex.EncodeToString(sum[:]) {
		notes = append(
			notes,
			"was changed since it was written, by hand or by a browser that saved it; what counts are the data in it, which "+
				"are whole",
		)
	}
	if leftOut != "" {
		notes = append(notes, "carries the run without "+leftOut+"; the run's folder has them")
	}
	return r, notes, nil
}

// pageTag returns the offset and the tag of the element with the data.
func pageTag(b []byte) (start int, tag string) {
	at := bytes.LastIndex(b, []byte(` id="`+pageElement+`"`))
	if at < 0 {
		return 0, ""
	}
	start = bytes.LastIndexByte(b[:at], '<')
	end := bytes.IndexByte(b[at:], '>')
	if start < 0 || end < 0 || !bytes.HasPrefix(b[start:], []byte("<script ")) {
		return 0, ""
	}
	return start, string(b[start : at+end+1])
}

func attribute(tag, name string) string {
	_, rest, ok := strings.Cut(tag, " "+name+`="`)
	value, _, closed := strings.Cut(rest, `"`)
	if !ok || !closed {
		return ""
	}
	return value
}

var errBomb = errors.New("they unpack to more than a run has")

// bounded fails with errBomb where a few bytes unpack to very many, or to values that take much memory.
type bounded struct {
	from io.Reader
	left unpacked
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if !b.left.take(p[:n]) {
		return 0, errBomb
	}
	return n, err
}

// take subtracts p from the limits, and reports whether it is within them.
func (u *unpacked) take(p []byte) bool {
	u.bytes -= len(p)
	u.objects -= bytes.Count(p, []byte("{")) + bytes.Count(p, []byte("null"))
	return u.bytes >= 0 && u.objects >= 0
}
