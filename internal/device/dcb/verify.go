package dcb

import (
	"encoding/json"
	"strings"

	"linerate/internal/device/config"
)

// Expect is the expected output of a switch command.
type Expect struct {
	Command string `json:"command"`
	// Form is how a program reads Where: json (keys and indices), tree (nested words), table (row, column), lines (a line
	// that contains Want; any number of spaces counts as one). Without a form it can only be compared by hand.
	Form  string        `json:"form"`
	Where []string      `json:"where"`
	Want  string        `json:"want"`
	Why   string        `json:"why"`
	By    config.Source `json:"source"`
}

// String prints the expectation in words.
func (e Expect) String() string {
	out := e.Want
	if n := len(e.Where); n > 0 {
		out = e.Where[n-1] + ": " + out
		if e.Form == "table" {
			out = strings.Join(e.Where, " ") + ": " + e.Want
		}
	}
	return out + "  (" + e.Why + ")"
}

// verify makes verify.txt to read, and verify.json for programs with one expectation a line. comment begins a comment
// in the switch's language, so verify.txt can be pasted unchanged.
func verify(comment string, head []string, list []Expect) ([]config.File, error) {
	text := config.File{Name: "verify.txt", Comment: comment}
	for _, h := range head {
		text.Note(h)
	}
	var commands []string
	of := map[string][]Expect{}
	for _, e := range list {
		if of[e.Command] == nil {
			commands = append(commands, e.Command)
		}
		of[e.Command] = append(of[e.Command], e)
	}
	for _, c := range commands {
		text.Form("")
		text.Add(of[c][0].By, of[c][0].Why, c)
		for _, e := range of[c] {
			text.Note("  expect " + e.String())
		}
	}
	typed := config.File{Name: "verify.json"}
	typed.Form(`{"schema": "linerate/expect/1", "expect": [`)
	for i, e := range list {
		if e.Where == nil {
			e.Where = []string{}
		}
		b, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		if i < len(list)-1 {
			b = append(b, ',')
		}
		typed.Form(string(b))
	}
	typed.Form("]}")
	return []config.File{text, typed}, nil
}
