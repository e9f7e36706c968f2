package fabric

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/golden"
	"linerate/internal/testenv"
)

// TestErrors reads the files of testdata/errors. Each has one common error, and next to it the expected message.
func TestErrors(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*.yaml")
	if err != nil || len(paths) < 25 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(name, func(t *testing.T) {
			text := testenv.Must(os.ReadFile(path))(t)
			f, problems := Parse(name+".yaml", text, Options{Catalog: testCatalog(t)})
			if len(problems) == 0 || f != nil {
				t.Fatalf("it loads: %d problems, fabric %v", len(problems), f != nil)
			}
			golden.Compare(t, strings.TrimSuffix(path, ".yaml")+".txt", problems.Error()+"\n")
		})
	}
}

func loadText(t *testing.T, text string) (*Fabric, Problems) {
	t.Helper()
	return Parse("f.yaml", []byte(text), Options{Catalog: testCatalog(t)})
}

// repeat prints a line for each number from 0 on.
func repeat(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestBombs reads files that are made to exhaust the machine and expects a problem instead. The test's time limit is
// the assertion: without the limits each file takes minutes.
func TestBombs(t *testing.T) {
	const head = "fabric: t\nlinks: []\n"
	for name, text := range map[string]string{
		"ranges in ranges": head + "hosts:\n  \"n[1-4096]\": {nics: {\"c[1-4096]\": {part: MCX354A-FCCT}}}\n",
		"many ranges":      head + "hosts:\n" + repeat("  \"h%dx[1-4096]\": {}\n", 20000),
		"a large host":     head + "hosts:\n  \"n[1-4096]\":\n    settings:\n" + repeat("      k%d: v\n", 40000),
		"many wrong links": "fabric: t\nhosts: {\"n[1-4096]\": {}}\nlinks:\n" + strings.Repeat("  - {ends: "+
			"[\"n[1-4096].c.1\", \"m[1-4096].c.1\"]}\n", 10000),
		"a mesh of all": "fabric: t\nhosts: {\"n[1-4096]\": {nics: {\"c[1-16]\": {part: {kind: nic, ports: 1024, " +
			"speed: 1G}}}}}\nlinks: {mesh: [\"n[1-4096]\"]}\n",
		"variants of all": head + "hosts:\n" + repeat("  \"h%d[1-2]\": {}\n",
			10000) + "variants:\n  v:\n    hosts:\n" + repeat("      h%d1: {os: linux}\n", 10000),
		"long list a parameter": head + "hosts: {a: {}, b: {}}\nexperiments:\n  \"e[1-4096]\": {method: throughput, " +
			"from: a, " +
			"to: " +
			"b, seed: [" + repeat("%d,", 19000) + "]}\n",
		"one long line": "fabric: t\nhosts: {" + repeat("h%d: {nicz: {}},", 30000) + "}\n",
		"no quotes":     "fabric: t\nhosts: {" + repeat("h[1-%d]: {},", 40000) + "}\n",
		"open brackets": "fabric: " + strings.Repeat("[", 1<<19),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(text) > maxFile {
				t.Fatalf("the file has %d bytes: another limit would be tested", len(text))
			}
			if f, problems := loadText(t, text); f != nil || len(problems) == 0 {
				t.Error("it loads")
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big.yaml")
	testenv.WriteFile(t, path, bytes.Repeat([]byte("# x\n"), 10<<20/4), 0o600)
	_, problems := Load(path, Options{Catalog: testCatalog(t)})
	if len(problems) != 1 || !strings.Contains(problems.Error(), "linerate reads fabric files of up to 1048576 bytes") {
		t.Errorf("10 MB: %v", problems)
	}
	_, problems = Load(filepath.Join(t.TempDir(), "none.yaml"), Options{})
	if len(problems) != 1 || !strings.Contains(problems.Error(), "no such file") {
		t.Errorf("missing file: %v", problems)
	}
	_, problems = Load(t.TempDir(), Options{})
	if len(problems) != 1 || !strings.Contains(problems.Error(), "folder") {
		t.Errorf("folder: %v", problems)
	}
}

// TestLarge: a large but realistic fabric stays within the limits, with variants.
func TestLarge(t *testing.T) {
	text := `fabric: t
hosts: {"n[1-4096]": {connect: "ssh root@{host}", nics: {c: {part: MCX354A-FCCT}}}}
switches: {"s[1-16]": {part: {kind: switch, speed: 40G, ports: 512, cage: qsfp+}}}
links:
  - {ends: ["n[1-4096].c.1", "s[1-8].[1-512]"]}
  - {ends: ["n[1-4096].c.2", "s[9-16].[1-512]"]}
variants:
` + repeat("  v%d: {mtu: 1500}\n", 8)
	f, problems := loadText(t, text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if len(f.Hosts) != 4096 || len(f.Links) != 8192 || f.Links[8191].Name != "n4096.c.2--s16.512" ||
		f.Hosts[4095].Connection != "ssh root@n4096" {
		t.Errorf("%d hosts, %d links, last %s", len(f.Hosts), len(f.Links), f.Links[len(f.Links)-1].Name)
	}
}

// TestTerminal: no message passes control characters of a file to the terminal.
func TestTerminal(t *testing.T) {
	_, problems := loadText(t, "fabric: \"\\e]0;title\\a\"\nhosts:\n  \"\\u202Ex\": {\"\\e[2J\": 1, os: \"\\e[31m\", "+
		"connect: \"\\x9b31m\"}\nlinks: [{ends: [\"\\e[1m\", \"\\r\"]}]\n")
	if len(problems) < 6 {
		t.Fatalf("%d problems: %v", len(problems), problems)
	}
	if strings.ContainsAny(problems.Error(), "\x1b\a\r\u009b\u202e") {
		t.Errorf("%q", problems.Error())
	}
}

func TestSecretsAreHidden(t *testing.T) {
	for _, line := range []string{"login: hunter2", "login: 'hunter2 x'", "password: hunter2", "LOGIN: \"hunter2, y\"",
		"\"login\": hunter2"} {
		_, problems := loadText(t, "fabric: t\nlinks: []\nhosts:\n  a:\n    drives:\n      d:\n        "+line+"\n")
		if len(problems) == 0 || strings.Contains(problems.Error(), "hunter2") {
			t.Errorf("%s:\n%v", line, problems)
		}
	}
}
