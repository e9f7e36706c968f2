package tcp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// source is a file that a sending end reads, over and over.
type source struct {
	file *os.File
	fd   int
	path string
	size int64
	fs   string // of the file system: ext4; empty: unknown
	on   string // the block device of the file system: sda1; empty: unknown, or none
}

// openSource opens the file of s, or returns nil if it has none. It only ever reads, and only a regular file: a device,
// a pipe or a folder could hang, or change by being read.
func openSource(s traffic.Endpoint) (*source, error) {
	if s.Source == "" {
		return nil, nil
	}
	subject := fmt.Sprintf("source %q", s.Source)
	bad := func(text string) (*source, error) {
		return nil, &failure.Error{Code: failure.CodeInput, Subject: subject, Text: text}
	}
	if !filepath.IsAbs(s.Source) {
		return bad("it is not an absolute path on the sending host; write it from the root on")
	}
	before, err := os.Stat(s.Source)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return bad("there is no such file on the sending host")
	case err != nil:
		return bad(failure.Innermost(err))
	case !before.Mode().IsRegular():
		return bad("it is not a regular file; name one")
	}
	f, err := os.OpenFile(s.Source, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return bad("it cannot be read: " + failure.Innermost(err))
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		f.Close()
		return bad(failure.Innermost(err))
	case !info.Mode().IsRegular() || !os.SameFile(before, info):
		f.Close()
		return bad("it is not the file that it was a moment ago")
	case info.Size() == 0:
		f.Close()
		return bad("it is empty, or made by the system as it is read; name a file with bytes in it")
	}
	return &source{file: f, fd: int(f.Fd()), path: s.Source, size: info.Size(), fs: fileSystem(f), on: blockDevice(f)}, nil
}

func (s *source) close() {
	if s != nil {
		s.file.Close()
	}
}

func (s *source) String() string { return fmt.Sprintf("%s (%s)", s.path, unit.Bytes(s.size)) }

// from returns where the bytes came from, by what this process read from drives in the interval; nil: unknown. step is
// what may have been read and not sent at an edge: one call of each stream. Several experiments of one process cannot
// be told apart.
func (s *source) from(read *int64, sent, step int64, background int) string {
	switch {
	case s.fs == "tmpfs" || s.fs == "ramfs":
		return "memory (" + s.fs + ")"
	case background > 0:
		return "not known: several experiments read at once"
	case s.fs == "":
		return "not known: the system does not say what kind of file system it is"
	case !countedByDrive(s.fs):
		return "not known: reads of the file system " + s.fs + " are not counted"
	case read == nil || sent <= 0:
		return "not known: the system does not say what was read from drives"
	}
	share := min(1, float64(*read)/float64(sent))
	text := fmt.Sprintf("%s of %s sent were read from the drive, the rest from the page cache",
		unit.Bytes(*read).Like(unit.Bytes(sent)), unit.Bytes(sent))
	if *read >= sent {
		text = fmt.Sprintf("%s were read from the drive, some of it ahead, and %s sent",
			unit.Bytes(*read).Like(unit.Bytes(sent)), unit.Bytes(sent))
	}
	switch {
	case share < 0.01:
		return "page cache: " + text
	case share > 0.99, share > 0.5 && sent-*read <= step:
		return "drive: " + text
	}
	return "both: " + text
}

// countedByDrive reports whether reads of files of a file system show in the process's count of block reads.
func countedByDrive(fs string) bool {
	switch fs {
	case "ext4", "xfs", "btrfs", "f2fs", "nfs":
		return true
	}
	return false
}

// fromSource makes the sender read the file: with a copy into memory and one out of it (copy mode both), or inside the
// kernel.
func (s *sender) fromSource() error {
	t := s.t
	if t.Setup.Tuning.Label() != "A" {
		p, err := newSourcePath(t)
		if err != nil {
			return err
		}
		s.path = p
		t.Effect.Path = "sendfile from the file"
		return nil
	}
	s.path = &readPath{t: t, at: t.source.begin(t)}
	t.Effect.Path = "read and write"
	return nil
}

// begin returns where in the file a stream starts: evenly spread, so that several do not read the same bytes.
func (s *source) begin(t *task) int64 {
	n := int64(t.Setup.Streams)
	return s.size / n * (int64(t.Index) % n)
}

// readPath reads the file into memory and writes it, as a program does.
type readPath struct {
	t  *task
	at int64
}

func (p *readPath) push(n int) (int, error) {
	buf := p.t.buffer[:n]
	for got := 0; got < n; {
		m, err := p.t.source.file.ReadAt(buf[got:], p.at)
		got, p.at = got+m, p.at+int64(m)
		if err == io.EOF {
			if p.at == 0 {
				return 0, p.t.source.gone()
			}
			p.at = 0
		} else if err != nil {
			return 0, &failure.Error{Code: failure.CodeInternal, Subject: "source " + p.t.source.path,
				Text: failure.Innermost(err)}
		}
	}
	return p.t.wire.Write(buf)
}

func (p *readPath) note() string { return "" }
func (p *readPath) close()       {}

func (s *source) gone() error {
	return &failure.Error{Code: failure.CodeInput, Subject: "source " + s.path,
		Text: "it has become empty while it was sent; name a file that does not change"}
}
