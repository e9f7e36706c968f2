package main

import (
	"bytes"
	endian "encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"linerate/internal/facts"
)

// What is run by hand is printed as it is, and what it prints is read where somebody puts it, also as PowerShell's own > writes it.
func TestFactsScript(t *testing.T) {
	if a := call(t, nil, "facts", "--script", "windows"); a.code != exitDone || a.out != facts.WindowsScript() || a.err != "" {
		t.Errorf("%.300s", a)
	}
	for _, system := range []string{"onyx", "cumulus", "sonic", "eos", "routeros"} {
		want := strings.Join(facts.SwitchCommands(system), "\n") + "\n"
		if a := call(t, nil, "facts", "--script", system); a.code != exitDone || a.out != want || strings.Count(a.out, "\n") < 4 {
			t.Errorf("%s: %.300s", system, a)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--script", "freebsd"}, "run linerate facts --local -o HOST.txtar there"},
		{[]string{"--script", "beos"}, "--script beos: there is a script for windows"},
		{[]string{"--script", "windows", "--local"}, "give it alone"},
		{[]string{"--script", "windows", "home.yaml"}, "give it alone"},
	} {
		if a := call(t, nil, append([]string{"facts"}, c.args...)...); a.code != exitInput || !strings.Contains(a.err, c.want) || a.out != "" {
			t.Errorf("%v: %s", c.args, a)
		}
	}
	kept, err := os.ReadFile("../../internal/facts/testdata/windows.script.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, answer, _ := bytes.Cut(kept, []byte("-- windows.ps1 --\n"))
	wide := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(strings.ReplaceAll(string(answer), "\n", "\r\n"))) {
		wide = endian.LittleEndian.AppendUint16(wide, u)
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"one/windows.json": answer, "two/out.txt": wide} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := call(t, nil, "facts", "--captures", dir)
	for _, name := range []string{"one", "two"} {
		if !strings.Contains(a.out, name+": ") {
			t.Errorf("%s is not told: %s", name, a)
		}
	}
	if a.code != exitDone || a.err != "" || strings.Count(a.out, "ConnectX-5") != 2 {
		t.Errorf("%s", a)
	}
}
