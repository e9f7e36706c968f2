package reporttest

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"linerate/internal/report/format"
	"linerate/internal/testenv"
)

// Written returns what write writes.
func Written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Has fails unless a text contains all of the wanted ones.
func Has(t testing.TB, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in\n%.5000s", w, text)
		}
	}
}

// HasNot fails if a text contains one of the others.
func HasNot(t testing.TB, text string, not ...string) {
	t.Helper()
	for _, n := range not {
		if strings.Contains(text, n) {
			t.Errorf("%q is in\n%.5000s", n, text)
		}
	}
}

// Elements has one element of a drawing on each line.
func Elements(svg string) string { return strings.ReplaceAll(svg, "><", ">\n<") + "\n" }

// Load opens a page in Chromium and returns its document after the script ran,
// and what the browser wrote to its console.
func Load(t *testing.T, chromium, text string) (dom string, console []string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--enable-logging=stderr", "--dump-dom", "file://"+file)
	var out, log strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", chromium, err, log.String())
	}
	for _, line := range strings.Split(log.String(), "\n") {
		if strings.Contains(line, ":CONSOLE") {
			console = append(console, line)
		}
	}
	return out.String(), console
}

// Browser is the program that pages are loaded in.
func Browser(t *testing.T) string {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		testenv.Missing(t, "chromium, to load the page in (Debian: apt-get install chromium)")
	}
	return chromium
}

// Safe fails on anything that a terminal could interpret as a command.
func Safe(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if r != '\n' && (unicode.IsControl(r) || format.Turns(r)) {
			t.Errorf("control character %q in the output", r)
			return
		}
	}
}

// Outline returns the structure of a page: headings, captions, headers of tables and titles of drawings. It fails where
// elements are not closed in order.
func Outline(t *testing.T, text string) string {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta"}, xml.HTMLEntity
	var b strings.Builder
	var open []string
	want := map[string]bool{"h1": true, "h2": true, "h3": true, "caption": true, "summary": true,
		"title": true, "thead": true}
	var collected *strings.Builder
	described := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the page does not parse: %v", err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			open = append(open, x.Name.Local)
			if want[x.Name.Local] {
				collected = new(strings.Builder)
			} else if collected != nil && x.Name.Local == "th" {
				collected.WriteString(" | ")
			}
			if x.Name.Local == "desc" {
				described++
			}
			if x.Name.Local == "svg" && !slices.Contains(x.Attr,
				xml.Attr{Name: xml.Name{Local: "aria-hidden"}, Value: "true"}) { // text of the page describes it
				described--
			}
		case xml.CharData:
			if collected != nil {
				collected.Write(x)
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != x.Name.Local {
				t.Fatalf("</%s> closes %v", x.Name.Local, open)
			}
			open = open[:len(open)-1]
			if want[x.Name.Local] && collected != nil {
				fmt.Fprintf(&b, "%-8s %s\n", x.Name.Local, strings.Join(strings.Fields(collected.String()), " "))
				collected = nil
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("not closed: %v", open)
	}
	if described != 0 {
		t.Errorf("%d drawings without a description", -described)
	}
	return b.String()
}
