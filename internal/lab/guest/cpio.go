package guest

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// The file types of a mode in an archive (stat.h).
const (
	modeDir  = 0o040000
	modeFile = 0o100000
	modeLink = 0o120000
)

// cpioWriter writes an archive of the form newc, which the kernel unpacks as its first file system
// (Documentation/driver-api/early-userspace/buffer-format.rst). Everything belongs to root; times are 0, so that equal
// files give equal archives.
type cpioWriter struct {
	w     io.Writer
	inode uint32
	err   error
}

// header writes the header of an entry: 110 bytes, the name with its NUL, and up to 3 bytes of padding.
func (c *cpioWriter) header(name string, mode uint32, size int64) {
	if size > 1<<32-1 {
		c.fail(fmt.Errorf("%s: %d bytes; the archive's form takes files up to 4 GiB", name, size))
		return
	}
	links := 1
	if mode&modeDir == modeDir {
		links = 2
	}
	c.inode++
	head := fmt.Sprintf("070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\x00", c.inode, mode, 0, 0, links,
		0, size, 0, 0, 0, 0, len(name)+1, 0, name)
	c.write(head + zeros(len(head)))
}

func zeros(n int) string { return "\x00\x00\x00"[:(4-n%4)%4] }

func (c *cpioWriter) write(s string) {
	if c.err == nil {
		_, c.err = io.WriteString(c.w, s)
	}
}

func (c *cpioWriter) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *cpioWriter) dir(name string, perm fs.FileMode) {
	c.header(name, modeDir|uint32(perm.Perm()), 0)
}

func (c *cpioWriter) link(name, target string) {
	c.header(name, modeLink|0o777, int64(len(target)))
	c.write(target + zeros(len(target)))
}

// file copies size bytes; a source that is shorter or longer is an error.
func (c *cpioWriter) file(name string, perm fs.FileMode, size int64, from io.Reader) {
	c.header(name, modeFile|uint32(perm.Perm()), size)
	if c.err != nil {
		return
	}
	n, err := io.Copy(c.w, io.LimitReader(from, size))
	if err == nil && n == size {
		var more [1]byte
		if k, _ := io.ReadFull(from, more[:]); k > 0 {
			n++
		}
	}
	switch {
	case err != nil:
		c.fail(fmt.Errorf("%s: %w", name, err))
	case n != size:
		c.fail(fmt.Errorf("%s: it changed while it was read: %d bytes were expected", name, size))
	}
	c.write(zeros(int(size % 4)))
}

func (c *cpioWriter) text(name string, perm fs.FileMode, text string) {
	c.file(name, perm, int64(len(text)), strings.NewReader(text))
}

// end closes the archive. Another may follow it.
func (c *cpioWriter) end() error {
	c.inode = 0
	c.header("TRAILER!!!", 0, 0)
	return c.err
}
