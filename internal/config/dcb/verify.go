package dcb

import (
	"encoding/json"
	"strings"

	"linerate/internal/config/device"
)

// Expect is what a switch should answer: what a person compares, and what a program can.
type Expect struct {
	Command string `json:"command"`
	// Form says how Where is to be read: json (keys and indices), tree (nested words), table (row, column), lines (a line that contains
	// Want; any number of spaces counts as one); empty: only a person can compare it.
	Form  string        `json:"form"`
	Where []string      `json:"where"`
	Want  string        `json:"want"`
	Why   string        `json:"why"`
	By    device.Source `json:"source"`
}

// say is the expectation for people.
func (e Expect) say() string {
	out := e.Want
	if n := len(e.Where); n > 0 {
		out = e.Where[n-1] + ": " + out
		if e.Form == "table" {
			out = strings.Join(e.Where, " ") + ": " + e.Want
		}
	}
	return out + "  (" + e.Why + ")"
}

// Verify makes the two files that say what a switch should answer: verify.txt for people, and verify.json with one expectation a
// line for programs. comment begins a comment of the switch's own language, so that the file can be pasted as it is.
func Verify(comment string, head []string, list []Expect) ([]device.File, error) {
	text := device.File{Name: "verify.txt", Comment: comment}
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
			text.Note("  expect " + e.say())
		}
	}
	typed := device.File{Name: "verify.json"}
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
	return []device.File{text, typed}, nil
}
