package connect

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// shells returns the shells of this machine that can be a login shell.
func shells(t testing.TB) []string {
	var found []string
	for _, name := range []string{"sh", "dash", "bash", "zsh", "ksh", "mksh", "fish", "busybox"} {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, path)
		}
	}
	if len(found) == 0 {
		testenv.Missing(t, "a shell")
	}
	return found
}

func throughShell(t testing.TB, shell, line string) []byte {
	argv := []string{shell, "-c", line}
	if filepath.Base(shell) == "busybox" {
		argv = []string{shell, "sh", "-c", line}
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s -c %q: %v: %s", shell, line, err, errs.Bytes())
	}
	return out
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a b", "'", `\`, `'\''`, "$(id)", "`id`", "\n", "\xff", "!", "-n", "%s", "~", "\x01"} {
		f.Add(s)
	}
	found := shells(f)
	f.Fuzz(func(t *testing.T, word string) {
		if strings.ContainsRune(word, 0) {
			t.Skip("no program can be given a NUL byte")
		}
		for _, shell := range found {
			if got := throughShell(t, shell, "exec env printf '%s' "+quote("x"+word)+quote(word)); string(got) != "x"+word+word {
				t.Errorf("%s: %q came out as %q", shell, word, got)
			}
		}
	})
}

// The whole line with the guard: arguments and environment, in every installed shell.
func TestUnixLine(t *testing.T) {
	words := []string{"", " ", "'", `\`, "a\\\\b", "$HOME", "`x`", "!x!", "*", "\xff", "ü", "-n", "--",
		"umask 077\nfor x in 'a b'\ndo :; done\n\n",
		"\n", "."}
	line := unixLine(Command{Argv: append([]string{"printf", `%s\0`}, words...), Env: []string{"A=b c'"}})
	found := shells(t)
	for _, name := range []string{"tcsh", "csh", "bsd-csh"} { // csh cannot be given a line break
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, path)
		}
	}
	for _, shell := range found {
		got := strings.Split(strings.TrimSuffix(string(throughShell(t, shell, line)), "\x00"), "\x00")
		if !slices.Equal(got, words) {
			t.Errorf("%s: got %q, want %q", shell, got, words)
		}
	}
}

// In csh a line break inside quotes ends the command, and quoting cannot help; the command line must not have one.
func TestUnixLineIsOneLine(t *testing.T) {
	line := unixLine(Command{Argv: []string{"sh", "-c", "a\nb"}, Env: []string{"A=x\n"}})
	if strings.Contains(line, "\n") {
		t.Errorf("%q", line)
	}
}

func TestOtherLines(t *testing.T) {
	for _, c := range []struct {
		name string
		line func(Command) (string, error)
		argv []string
		want string // empty: refused
	}{
		{"cmd", windowsLine, []string{"cmd", "/c", "ver"}, "cmd /c ver"},
		{"cmd", windowsLine, []string{`C:\Users\a b\linerate.exe`, "agent"}, `"C:\Users\a b\linerate.exe" agent`},
		{"cmd", windowsLine, []string{"echo", "%PATH%"}, ""},
		{"cmd", windowsLine, []string{"echo", "a&b"}, ""},
		{"cmd", windowsLine, []string{"echo", `a"b`}, ""},
		{"cmd", windowsLine, []string{"echo", `a b\`}, ""},
		{"device", plainLine, []string{"/interface/print", "where", `name="a"`}, `/interface/print where name="a"`},
		{"device", plainLine, []string{"show\nreload"}, ""},
	} {
		got, err := c.line(Command{Argv: c.argv})
		if (err != nil) != (c.want == "") || got != c.want {
			t.Errorf("%s %q: %q, %v; want %q", c.name, c.argv, got, err, c.want)
		}
	}
	if _, err := powershellLine(Command{Argv: []string{"a", `b"c`}}); err == nil {
		t.Error("PowerShell was given a double quote, which it drops")
	}
	if got := PowerShell("ä"); got[len(got)-1] != "5AA=" {
		t.Errorf("encoded as %q", got)
	}
}

func TestShellFrom(t *testing.T) {
	for _, c := range []struct {
		answer string
		want   shell
		noise  string
	}{
		{"linerate /bin/bash %OS%\n", unixShell, ""},
		{"linerate /usr/bin/fish %OS%\n", unixShell, ""},
		{"Welcome!\n\nlinerate /bin/sh %OS%\n", unixShell, "Welcome!"},
		{"linerate $SHELL Windows_NT\r\n", windowsShell, ""},
		{"linerate\r\n%OS%\r\n", powershell, ""},
		{"bad command name echo (line 1 column 1)\r\n", deviceShell, ""},
		{"switch# echo linerate $SHELL %OS%\n% Invalid input\n", deviceShell, ""},
		{"", deviceShell, ""},
	} {
		if got, noise := shellFrom(c.answer); got != c.want || noise != c.noise {
			t.Errorf("%q: %v, %q; want %v, %q", c.answer, got, noise, c.want, c.noise)
		}
	}
}

func FuzzMarkers(f *testing.F) {
	f.Add([]byte("a\x1elinerate pid 12\nb\x1elinerate exit-255\n"), 3)
	f.Add([]byte("\x1e\x1elinerate"), 1)
	f.Fuzz(func(t *testing.T, data []byte, step int) {
		step = max(1, step%64)
		cut := func(step int) (string, *markers) {
			var out bytes.Buffer
			m := &markers{to: &out, started: make(chan struct{})}
			for rest := data; len(rest) > 0; rest = rest[min(step, len(rest)):] {
				m.Write(rest[:min(step, len(rest))])
			}
			m.flush()
			return out.String(), m
		}
		whole, one := cut(len(data) + 1)
		parts, two := cut(step)
		if whole != parts || one.pid != two.pid || one.exit255 != two.exit255 || one.noProgram != two.noProgram {
			t.Errorf("%q in pieces of %d: %q, whole: %q", data, step, parts, whole)
		}
		if !bytes.Contains(data, []byte(marker)) && whole != string(data) {
			t.Errorf("%q came out as %q", data, whole)
		}
	})
}
