package watch

import (
	"errors"
	"io"
	"os"
)

// procFile is a file of the kernel that is read again and again: kept open, into one buffer.
type procFile struct {
	path  string
	file  *os.File
	buf   []byte
	err   error // why it could not be opened
	pause pause
}

func openProc(path string) *procFile {
	f := &procFile{path: path}
	f.file, f.err = os.Open(path)
	return f
}

// read returns the file's text now; it is valid until the next call.
func (f *procFile) read() ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if f.buf == nil {
		f.buf = make([]byte, 8<<10)
	}
	n := 0
	for {
		if n == len(f.buf) {
			if n >= longestProc {
				return nil, errors.New(f.path + " is longer than this program reads")
			}
			f.buf = append(f.buf, make([]byte, n)...)
		}
		m, err := f.file.Read(f.buf[n:])
		n += m
		switch {
		case err == io.EOF:
			return f.buf[:n], nil
		case err != nil:
			return nil, err
		}
	}
}

func (f *procFile) close() {
	if f.file != nil {
		f.file.Close()
	}
}

// longestProc is the most that is read of one file; /proc/stat of a thousand cores has some 100 kB.
const longestProc = 16 << 20

// pause keeps the cost of a source below a share of a core: after a reading it is left alone for a multiple of the
// shortest reading so far. Of longer ones the thread may have waited for its CPU.
type pause struct {
	least int64 // nanoseconds
	next  int64 // stamp
	skips int64 // readings that were left out
}

// costs is one over the share of a core that one source may take at ten readings a second.
const costs = 300

// due reports whether the source may be read at now.
func (p *pause) due(now int64) bool {
	if now < p.next {
		p.skips++
		return false
	}
	return true
}

// took notes a reading; hz is the number of readings a second.
func (p *pause) took(from, to int64, hz int) {
	d := max(1, to-from)
	if p.least == 0 || d < p.least {
		p.least = d
	}
	p.next = from + p.least*max(1, costs*10/int64(max(1, hz)))
}
