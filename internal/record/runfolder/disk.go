package runfolder

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// disk is what a run folder needs to write, so that a test can make each call fail.
type disk interface {
	Mkdir(dir string) error
	MkdirAll(dir string) error
	// Open opens a file to write: one that must not exist yet (create), one that is emptied (replace), or one that exists
	// (extend) and is truncated before it is written to.
	Open(name string, how opening) (file, error)
	Rename(from, to string) error
	Remove(name string) error
	SyncDir(dir string) error
}

type opening int

const (
	create  = opening(os.O_CREATE | os.O_EXCL | os.O_WRONLY)
	replace = opening(os.O_CREATE | os.O_TRUNC | os.O_WRONLY)
	extend  = opening(os.O_WRONLY)
)

type file interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error // and continues to write there
	Lock() error               // errHeld if another program holds it; ends with Close or the process
}

var errHeld = errors.New("another program is writing to it")

type osDisk struct{}

func (osDisk) Mkdir(dir string) error       { return os.Mkdir(dir, 0o777) }
func (osDisk) MkdirAll(dir string) error    { return os.MkdirAll(dir, 0o777) }
func (osDisk) Rename(from, to string) error { return os.Rename(from, to) }
func (osDisk) Remove(name string) error     { return os.Remove(name) }
func (osDisk) SyncDir(dir string) error     { return syncDir(dir) }
func (osDisk) Open(n string, how opening) (file, error) {
	f, err := os.OpenFile(n, int(how), 0o666)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

type osFile struct{ *os.File }

func (f osFile) Lock() error { return lock(f.File) }

func (f osFile) Truncate(size int64) error {
	if err := f.File.Truncate(size); err != nil {
		return err
	}
	_, err := f.File.Seek(size, io.SeekStart)
	return err
}

// Full reports whether a run folder could not be written because its disk is full.
func Full(err error) bool { return errors.Is(err, diskFull) }

// writing wraps an error with the file that could not be written, the reason, and what to do.
func writing(name string, err error) error {
	if err == nil {
		return nil
	}
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		err = l.Err
	}
	switch {
	case Full(err):
		return fmt.Errorf("write %s: %w; free space there, or give another folder with -o", name, err)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("write %s: %w; give a folder that you may write to with -o", name, err)
	}
	return fmt.Errorf("write %s: %w", name, err)
}

// unfinished is the suffix of unfinished files, which are also hidden. They are useless once their writer has ended.
const unfinished = ".part"

func unfinishedName(name string) string {
	dir, base := filepath.Split(name)
	return filepath.Join(dir, "."+base+unfinished)
}

// writeWhole writes a file whole or not at all, even across a power cut. It writes under a temporary name, syncs,
// renames, and syncs the folder.
func writeWhole(d disk, name string, write func(io.Writer) error) (err error) {
	part := unfinishedName(name)
	f, err := d.Open(part, replace)
	if err != nil {
		return writing(name, err)
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = d.Rename(part, name)
	}
	if err != nil {
		d.Remove(part) // best effort: what matters is the first error
		return writing(name, err)
	}
	return writing(name, d.SyncDir(filepath.Dir(name)))
}
