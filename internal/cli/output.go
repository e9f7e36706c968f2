package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/term"

	"linerate/internal/base/diag"
	"linerate/internal/report"
	"linerate/internal/report/terminal"
)

// Clean removes control characters from text of a file or a device, so that it cannot control the terminal.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}

// Terminal describes the standard output to package report.
func (e *Env) Terminal() terminal.Terminal {
	t := terminal.Terminal{Width: 80, Out: e.Out, ASCII: !e.Utf8()}
	if f, ok := e.Out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		t.Color = e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			t.Width = w
		}
	}
	return t
}

// Utf8 reports whether the locale uses UTF-8. Without a locale, as in a fresh container, drawing characters are assumed
// to work.
func (e *Env) Utf8() bool {
	for _, k := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(e.Getenv(k)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// PrintObject prints one JSON object with its schema.
func (e *Env) PrintObject(kind string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(b, &fields); err != nil {
		return errors.Join(errors.New("not an object"), err)
	}
	fields["schema"] = json.RawMessage(fmt.Sprintf("%q", "linerate/"+kind+"/1"))
	b, err = json.MarshalIndent(fields, "", "  ")
	if err != nil {
		return err
	}
	_, err = e.Out.Write(append(b, '\n'))
	return err
}

// Say reports a slow step when it begins.
func (e *Env) Say(text string) { fmt.Fprintln(e.Err, Clean(text)) }

// Note reports something other than progress.
func (e *Env) Note(text string) {
	fmt.Fprintln(e.Err, Clean(text))
	if e.Events.Out != nil {
		e.Events.Add(report.Event{Event: "note", Message: text})
	}
}

// WriteNew writes a new file, and fails if it exists.
func WriteNew(name string, text []byte) error {
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return Fail(ExitInput, &Advice{ID: diag.OutputExists, Text: name + " exists",
			Help: []string{"name a new file with -o"}})
	}
	if err != nil {
		return Fail(ExitInput, Advise(fmt.Errorf("-o: %w", err),
			"check the path and the permissions"))
	}
	_, err = bytes.NewReader(text).WriteTo(out)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(name)
		return fmt.Errorf("-o %s: %w", name, err)
	}
	return nil
}

// OneOutput refuses two forms of standard output at once.
func OneOutput(asJSON, asJSONL bool) error {
	if asJSON && asJSONL {
		return Advise(errors.New("--json and --jsonl: standard output has one object, or one a line"),
			"omit one")
	}
	return nil
}

// FirstOf joins the first n of a list, and the number of the rest.
func FirstOf(list []string, n int) string {
	if len(list) <= n {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:n], ", ") + fmt.Sprintf(" and %d more", len(list)-n)
}
