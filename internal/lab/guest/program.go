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

// loadedSize is how much of a program's file its program headers name: what comes after them is for debuggers and linkers. The whole
// size is returned of what is no ELF file of 64 bits, little-endian.
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

// copyProgram adds a program without what only debuggers read of it, a third of one of Go's: in a guest it is unpacked into memory by
// an emulated processor.
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
	// There is no table of sections any more (e_shoff, e_shnum, e_shstrndx).
	binary.LittleEndian.PutUint64(head[0x28:], 0)
	binary.LittleEndian.PutUint32(head[0x3c:], 0)
	c.file(name, 0o755, size, io.MultiReader(bytes.NewReader(head), io.NewSectionReader(f, headerSize, size-headerSize)))
	return c.err
}
