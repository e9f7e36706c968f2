package guest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
)

// unpackArchive writes the wanted files of an archive of the form newc into the tree: folders, links and plain files.
func (t *tree) unpackArchive(r io.Reader, want func(name string) bool, c *counter) error {
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		head := make([]byte, 110)
		if _, err := io.ReadFull(in, head); err != nil {
			return fmt.Errorf("the archive has no end: %w", err)
		}
		if string(head[:6]) != "070701" {
			return fmt.Errorf("no entry of an archive: %.6q", head)
		}
		field := func(i int) (n int64, err error) {
			v, err := strconv.ParseUint(string(head[6+8*i:14+8*i]), 16, 32)
			return int64(v), err
		}
		mode, err1 := field(1)
		size, err2 := field(6)
		length, err3 := field(11)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		if length < 1 || length > 4096 {
			return fmt.Errorf("a name of %d bytes", length)
		}
		b := make([]byte, length+padding(110+length))
		if _, err := io.ReadFull(in, b); err != nil {
			return err
		}
		given := string(b[:length-1])
		if given == "TRAILER!!!" {
			return nil
		}
		data := &io.LimitedReader{R: in, N: size}
		if name := merged(given); name != "" && want(name) {
			if err := t.archived(data, name, mode, size, c); err != nil {
				return fmt.Errorf("%s: %w", given, err)
			}
		}
		if _, err := io.CopyN(io.Discard, in, data.N+padding(size)); err != nil {
			return fmt.Errorf("%s: %w", given, err)
		}
	}
}

// padding returns the number of bytes after n bytes up to the next multiple of 4.
func padding(n int64) int64 { return (4 - n%4) % 4 }

// archived writes one entry.
func (t *tree) archived(in io.Reader, name string, mode, size int64, c *counter) error {
	if c.files++; c.files > unpackFiles {
		return fmt.Errorf("the archive holds more than %d files", unpackFiles)
	}
	if mode&0o170000 == modeDir {
		return t.root.MkdirAll(name, 0o755)
	}
	if err := t.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	if err := t.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch mode & 0o170000 {
	case modeLink:
		target, err := io.ReadAll(io.LimitReader(in, 4096))
		if err != nil {
			return err
		}
		return t.root.Symlink(string(target), name)
	case modeFile:
		if c.bytes += size; c.bytes > unpackLimit {
			return fmt.Errorf("%d bytes are more than a guest's root has", c.bytes)
		}
		f, err := t.root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, fs.FileMode(mode).Perm()|0o600)
		if err != nil {
			return err
		}
		n, err := io.Copy(f, in)
		if err == nil && n != size {
			err = fmt.Errorf("%d bytes of %d: %w", n, size, io.ErrUnexpectedEOF)
		}
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		return err
	}
	return nil
}
