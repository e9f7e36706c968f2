package guest

import (
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
)

// kernelPayload returns the compressed kernel in a bzImage (Documentation/arch/x86/boot.rst: setup_sects,
// payload_offset, payload_length), without its size after it.
func kernelPayload(image []byte) ([]byte, error) {
	const header = 0x250
	if len(image) < header || string(image[0x202:0x206]) != "HdrS" {
		return nil, errors.New("the kernel is not a bzImage")
	}
	if v := binary.LittleEndian.Uint16(image[0x206:]); v < 0x208 {
		return nil, fmt.Errorf("the kernel's boot protocol is %#x, too old to find its payload", v)
	}
	setup := uint64(cmp.Or(image[0x1f1], 4))
	from := (setup+1)*512 + uint64(binary.LittleEndian.Uint32(image[0x248:]))
	length := uint64(binary.LittleEndian.Uint32(image[0x24c:]))
	if length < 8 || from+length > uint64(len(image)) {
		return nil, fmt.Errorf("the kernel's payload is at %d with %d bytes, and its file has %d", from, length, len(image))
	}
	return image[from : from+length-4], nil
}

// plainKernel returns the kernel in a bzImage as an ELF file, if QEMU can start that.
func (t *tree) plainKernel(ctx context.Context, image []byte) ([]byte, error) {
	payload, err := kernelPayload(image)
	if err != nil {
		return nil, err
	}
	const packed = "kernel.packed"
	if err := t.root.WriteFile(packed, payload, 0o600); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	switch {
	case bytes.HasPrefix(payload, []byte("\x28\xb5\x2f\xfd")):
		err = t.run(ctx, &out, "zstd", "usr/bin/zstd", "-dcq", "--no-check", filepath.Join(t.dir, packed))
	case bytes.HasPrefix(payload, []byte("\xfd7zXZ")):
		err = t.run(ctx, &out, "xz", "usr/bin/xz", "-dc", "--single-stream", filepath.Join(t.dir, packed))
	default:
		err = fmt.Errorf("the kernel is compressed in a way that is not known here (%x)", payload[:4])
	}
	if err != nil {
		return nil, err
	}
	return out.Bytes(), startsByPVH(out.Bytes())
}

// startsByPVH searches the note that names the kernel's 32-bit entry (XEN_ELFNOTE_PHYS32_ENTRY, 18).
func startsByPVH(kernel []byte) error {
	f, err := elf.NewFile(bytes.NewReader(kernel))
	if err != nil {
		return err
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE || p.Filesz > 1<<20 {
			continue
		}
		b := make([]byte, p.Filesz)
		if _, err := p.ReadAt(b, 0); err != nil {
			return err
		}
		for len(b) >= 12 {
			name, desc, kind := le32(b), le32(b[4:]), le32(b[8:])
			size := 12 + (name+3)&^3 + (desc+3)&^3
			if kind == 18 && name == 4 && len(b) >= 16 && string(b[12:15]) == "Xen" {
				return nil
			}
			if size > uint64(len(b)) {
				break
			}
			b = b[size:]
		}
	}
	return errors.New("the kernel has no entry for PVH")
}

func le32(b []byte) uint64 { return uint64(binary.LittleEndian.Uint32(b)) }
