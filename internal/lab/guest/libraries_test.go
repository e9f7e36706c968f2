package guest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
)

// program is an ELF file that needs a loader and libraries, as small as one can be.
func program(loader string, runpath string, libraries ...string) string {
	names := "\x00"
	add := func(s string) uint64 {
		at := len(names)
		names += s + "\x00"
		return uint64(at)
	}
	var dynamic []elf.Dyn64
	for _, l := range libraries {
		dynamic = append(dynamic, elf.Dyn64{Tag: int64(elf.DT_NEEDED), Val: add(l)})
	}
	if runpath != "" {
		dynamic = append(dynamic, elf.Dyn64{Tag: int64(elf.DT_RUNPATH), Val: add(runpath)})
	}
	dynamic = append(dynamic, elf.Dyn64{})
	const head, phead, shead = 64, 56, 64
	interp := loader + "\x00"
	atInterp := uint64(head + phead)
	atNames := atInterp + uint64(len(interp))
	atDynamic := atNames + uint64(len(names))
	atSections := atDynamic + uint64(16*len(dynamic))
	var b bytes.Buffer
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: head,
		Shoff: atSections, Ehsize: head, Phentsize: phead, Phnum: 1, Shentsize: shead, Shnum: 3, Shstrndx: 1}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	write := func(v any) { binary.Write(&b, binary.LittleEndian, v) }
	write(h)
	kind := elf.PT_INTERP
	if loader == "" {
		kind = elf.PT_NULL
	}
	write(elf.Prog64{Type: uint32(kind), Off: atInterp, Filesz: uint64(len(interp))})
	b.WriteString(interp)
	b.WriteString(names)
	write(dynamic)
	write(elf.Section64{})
	write(elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: atNames, Size: uint64(len(names))})
	write(
		elf.Section64{Type: uint32(elf.SHT_DYNAMIC), Off: atDynamic, Size: uint64(16 * len(dynamic)), Link: 1, Entsize: 16},
	)
	return b.String()
}

func TestClosure(t *testing.T) {
	const loader = "/lib64/ld-linux-x86-64.so.2"
	tr := unpacked(t, "usr/bin/tool", program(loader, "$ORIGIN/../lib/own:/usr/lib/other", "libone.so.1", "libown.so"),
		"usr/bin/script", "#!/bin/sh\n", "usr/bin/short", "", "lib64/ld-linux-x86-64.so.2", program("", ""),
		"usr/lib/x86_64-linux-gnu/libone.so.1", "-> libone.so.1.5", "usr/lib/x86_64-linux-gnu/libone.so.1.5",
		program("", "", "libtwo.so"), "lib/libtwo.so", program("", "", "libone.so.1"), "usr/lib/own/libown.so",
		program("", ""), "usr/bin/lost", program(loader, "", "libgone.so", "libother.so"))
	got, err := tr.closure([]string{"usr/bin/tool", "usr/bin/script", "usr/bin/short"}, "x86_64-linux-gnu")
	want := map[string]string{"usr/lib64/ld-linux-x86-64.so.2": "usr/lib64/ld-linux-x86-64.so.2",
		"usr/lib/x86_64-linux-gnu/libone.so.1": "usr/lib/x86_64-linux-gnu/libone.so.1.5",
		"usr/lib/libtwo.so":                    "usr/lib/libtwo.so",
		"usr/lib/own/libown.so":                "usr/lib/own/libown.so"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%v,\nwant %v", err, got, want)
	}
	if _, err := tr.closure([]string{"usr/bin/lost"}, "x86_64-linux-gnu"); err == nil ||
		!strings.Contains(err.Error(), "libgone.so (for usr/bin/lost), libother.so") {
		t.Errorf("missing libraries: %v", err)
	}
}

func FuzzReadNeeds(f *testing.F) {
	f.Add([]byte(program("/lib64/ld", "$ORIGIN", "libc.so.6")))
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, b []byte) {
		tr := unpacked(t, "f", string(b))
		tr.readNeeds("f")
	})
}
