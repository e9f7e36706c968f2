package guest

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// The copied part of a program still runs, and is smaller.
func TestCopyProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.Stat(self)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	c := &cpioWriter{w: &b}
	if err := copyProgram(c, "init", self); err != nil {
		t.Fatal(err)
	}
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
	got, err := readCpio(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	program, ok := strings.CutPrefix(got["init"], "100755 ")
	f, err := elf.NewFile(strings.NewReader(program))
	if !ok || err != nil || len(f.Sections) > 0 {
		t.Fatalf("it is %.7q: %v, %v", got["init"], f, err)
	}
	if file, err := elf.Open(self); err != nil {
		t.Fatal(err)
	} else if file.Section(".symtab") != nil {
		if int64(len(program)) >= whole.Size() {
			t.Errorf("%d bytes, and the whole has %d", len(program), whole.Size())
		}
	}
	at := filepath.Join(t.TempDir(), "init")
	testenv.WriteFile(t, at, program, 0o755)
	if out, err := exec.Command(at, "-test.run", "^$").
		CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("it does not run: %v: %s", err, out)
	}
}

// Other files are copied unchanged.
func TestCopyProgramOther(t *testing.T) {
	for name, text := range map[string]string{"script": "#!/bin/sh\n", "empty": "", "cut": "\x7fELF\x02\x01\x01"} {
		at := filepath.Join(t.TempDir(), name)
		testenv.WriteFile(t, at, text, 0o755)
		var b bytes.Buffer
		c := &cpioWriter{w: &b}
		if err := copyProgram(c, "init", at); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c.end()
		if got, err := readCpio(b.Bytes()); err != nil || got["init"] != "100755 "+text {
			t.Errorf("%s: %q, %v", name, got["init"], err)
		}
	}
}
