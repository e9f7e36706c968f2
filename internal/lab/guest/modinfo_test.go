package guest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// module returns an ELF file with only a module's own description.
func module(kernel, name string, depends ...string) string {
	info := "license=GPL\x00name=" + name + "\x00vermagic=" + kernel + " SMP preempt mod_unload modversions " +
		"\x00depends=" + strings.Join(depends, ",") + "\x00"
	names := "\x00.modinfo\x00.shstrtab\x00"
	const head = 64
	atNames := uint64(head + len(info))
	var b bytes.Buffer
	h := elf.Header64{Type: uint16(elf.ET_REL), Machine: uint16(elf.EM_X86_64), Version: 1,
		Shoff: atNames + uint64(len(names)), Ehsize: head, Shentsize: 64, Shnum: 3, Shstrndx: 2}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	write := func(v any) { binary.Write(&b, binary.LittleEndian, v) }
	write(h)
	b.WriteString(info + names)
	write(elf.Section64{})
	write(elf.Section64{Name: 1, Type: uint32(elf.SHT_PROGBITS), Off: head, Size: uint64(len(info))})
	write(elf.Section64{Name: 10, Type: uint32(elf.SHT_STRTAB), Off: atNames, Size: uint64(len(names))})
	return b.String()
}

func TestModinfo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "siw.ko")
	for text, says := range map[string]string{module("6.0-test", "siw", "ib_core", "rdma-cm"): "",
		program("", ""): "no section .modinfo", "no ELF": "is not a module", "": "is not a module",
		module("", "siw"): "which kernel", module("", "siw")[:100]: "is not a module"} {
		testenv.WriteFile(t, file, text, 0o600)
		m, err := readModinfo(file)
		if says == "" && (err != nil || m.Name != "siw" || m.Kernel != "6.0-test" || !slices.Equal(m.Depends,
			[]string{"ib_core", "rdma_cm"})) {
			t.Errorf("%+v, %v", m, err)
		}
		if says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%.20q: want %q, have %v", text, says, err)
		}
	}
}

func FuzzModinfo(f *testing.F) {
	f.Add([]byte("name=siw\x00depends=a,b-c\x00vermagic=6.1 SMP\x00"))
	f.Add([]byte("depends=,,\x00="))
	f.Fuzz(func(t *testing.T, b []byte) {
		m := parseModinfo(b)
		for _, d := range m.Depends {
			if d == "" || strings.ContainsAny(d, "-,\x00") {
				t.Errorf("%q is not a module's name", d)
			}
		}
		if strings.Contains(m.Kernel, " ") {
			t.Errorf("%q is not a kernel's release", m.Kernel)
		}
	})
}

func FuzzModule(f *testing.F) {
	f.Add([]byte(module("6.0", "siw", "ib_core")))
	f.Add([]byte(module("6.0", "siw")[:90]))
	file := filepath.Join(f.TempDir(), "x.ko")
	f.Fuzz(func(t *testing.T, b []byte) {
		testenv.WriteFile(t, file, b, 0o600)
		if m, err := readModinfo(file); err == nil && m.Kernel == "" {
			t.Error("a module without a kernel was taken")
		}
	})
}
