package nvmetcp

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Backing stores a target's blocks. ReadAt and WriteAt are called by several threads at once, with whole blocks inside
// of Size. NVMe's Flush calls the Sync method, if there is one; without it the target reports no write cache.
type Backing interface {
	io.ReaderAt
	io.WriterAt
	Size() int64 // bytes
}

// memory is a Backing whose bytes the system can send without a copy.
type memory interface {
	bytes(offset int64, n int) []byte
}

// Memory is a drive in this process's memory; pages that were never written use none.
type Memory struct{ b []byte }

// NewMemory makes a drive of size bytes, full of zeros.
func NewMemory(size int64) *Memory { return &Memory{make([]byte, size)} }

func (m *Memory) bytes(offset int64, n int) []byte { return m.b[offset : offset+int64(n)] }

// Size is bytes.
func (m *Memory) Size() int64 { return int64(len(m.b)) }

// ReadAt is io.ReaderAt.
func (m *Memory) ReadAt(b []byte, offset int64) (int, error) {
	if offset < 0 || offset > int64(len(m.b)) {
		return 0, fmt.Errorf("offset %d of a drive of %d bytes", offset, len(m.b))
	}
	n := copy(b, m.b[offset:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt is io.WriterAt.
func (m *Memory) WriteAt(b []byte, offset int64) (int, error) {
	if offset < 0 || offset > int64(len(m.b)) {
		return 0, fmt.Errorf("offset %d of a drive of %d bytes", offset, len(m.b))
	}
	n := copy(m.b[offset:], b)
	if n < len(b) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// File is a drive in a file or on a block device. Its size is fixed when it is opened.
type File struct {
	*os.File
	size int64
}

// OpenFile opens an existing file or device, for reading only unless write is set.
func OpenFile(name string, write bool) (*File, error) {
	flags := os.O_RDONLY
	if write {
		flags = os.O_RDWR
	}
	f, err := os.OpenFile(name, flags, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a folder, not a file")
	}
	var size int64
	if err == nil {
		size, err = f.Seek(0, io.SeekEnd) // a block device has no size in Stat
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &File{f, size}, nil
}

// Size is bytes.
func (f *File) Size() int64 { return f.size }
