package guest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
)

// headerSize is the size of the header of an ELF file of 64 bits (elf(5)).
const headerSize = 64

// loadedSize returns the size of the part of a program's file that its program headers cover: the rest is for debuggers
// and linkers. For anything but a 64-bit little-endian ELF file it returns the whole size.
func loadedSize(r io.ReaderAt, size int64) (loaded int64, isELF bool) {
	f, err := elf.NewFile(r)
	if err != nil || f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB {
		return size, false
	}
	for _, p := range f.Progs {
		if end := p.Off + p.Filesz; end < p.Off || end > uint64(size) {
			return size, false
		} else if p.Filesz > 0 {
			loaded = max(loaded, int64(end))
		}
	}
	return loaded, loaded >= headerSize
}

// copyProgram adds a program without its debug information, a third of a Go program: an emulated CPU unpacks it into
// memory.
func copyProgram(c *cpioWriter, name, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	size, ok := loadedSize(f, fi.Size())
	if !ok {
		c.file(name, 0o755, fi.Size(), f)
		return c.err
	}
	head := make([]byte, headerSize)
	if _, err := f.ReadAt(head, 0); err != nil {
		return err
	}
	// The section table is removed (e_shoff, e_shnum, e_shstrndx).
	binary.LittleEndian.PutUint64(head[0x28:], 0)
	binary.LittleEndian.PutUint32(head[0x3c:], 0)
	c.file(name, 0o755, size, io.MultiReader(bytes.NewReader(head), io.NewSectionReader(f, headerSize, size-headerSize)))
	return c.err
}
