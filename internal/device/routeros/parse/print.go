package parse

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// routerosRow is an entry of a menu in the output of print, monitor or the REST interface: values by their lower-case
// names.
type routerosRow struct {
	flags  string // "RS"; empty also if the form has none
	values map[string]string
	lines  map[string]string // the line of each value
	line   string            // the first line
	source string            // its source
}

func (r *routerosRow) set(key, value, line string) {
	if r.values == nil {
		r.values, r.lines = map[string]string{}, map[string]string{}
	}
	r.line = cmp.Or(r.line, line)
	r.values[key], r.lines[key] = strings.TrimSpace(value), line
}

// from returns the line of a value.
func (r *routerosRow) from(key string) string {
	if l := r.lines[key]; l != "" {
		return l
	}
	return r.line
}

var (
	// the log, on a terminal
	routerosEcho = lazyregexp.New(`^\d\d:\d\d:\d\d echo: `)
	// -- [Q quit|D dump|down]
	routerosPager = lazyregexp.New(`^-- \[`)
	// of the console
	routerosError = lazyregexp.New(`^(?:bad command name|syntax error|no such item|expected |invalid value|failure: |input does not match)`)
	// name: value
	routerosPair  = lazyregexp.New(`^\s*([a-z][a-z0-9.-]*):(?:\s+(.*))?$`)
	routerosIndex = lazyregexp.New(`^\s{0,4}(\d+)(?:\s|$)`)
	routerosKey   = lazyregexp.New(`(?:^|[\s;])(\.?[a-z][a-z0-9.-]*)=`)
)

// parseRouterOS reads the output of a menu of RouterOS 6 or 7 in any of its forms: a table; detail and terse
// (name=value); lines "name: value", of several entries side by side; as-value; and the JSON of the REST interface.
// Snapshots of all forms exist except as-value and JSON, which follow https://manual.mikrotik.com, "Scripting" and
// "REST API". An empty output is an error, because it may mean that the menu was not printed.
func parseRouterOS(text []byte) ([]routerosRow, error) {
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		return nil, errors.New("the output is empty")
	}
	if trimmed[0] == '{' || trimmed[0] == '[' && !routerosPrompt.Match(firstLine(trimmed)) {
		return parseRouterOSJSON(trimmed)
	}
	var lines []string
	pairs, keys := 0, 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		switch { // the letters first, for megabytes of another text
		case len(line) > 2 && line[2] == ':' && routerosEcho.MatchString(line), strings.HasPrefix(line, "-- [") &&
			routerosPager.MatchString(line), strings.HasPrefix(line, "[") && routerosPrompt.MatchString(line):
			continue
		case len(lines) < 5 && routerosError.MatchString(strings.TrimSpace(line)):
			return nil, fmt.Errorf("RouterOS did not take the command: %.100q", line)
		}
		if !strings.HasPrefix(line, "Flags:") && !strings.HasPrefix(line, "Column") && strings.ContainsRune(line, ':') &&
			routerosPair.MatchString(line) {
			pairs++
		} else if strings.ContainsRune(line, '=') && routerosKey.MatchString(line) {
			keys++
		}
		lines = append(lines, line)
	}
	head, body := routerosHead(lines)
	var rows []routerosRow
	switch {
	case pairs > 0 && pairs >= keys:
		rows = routerosPairs(body)
	case keys > 0:
		rows = routerosDetail(body)
	default:
		rows = routerosTable(head, body)
	}
	if len(rows) == 0 {
		return nil, parse.ToolError(text)
	}
	return rows, nil
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.TrimRight(line, "\r")
}

// routerosHead removes the lines "Flags: X - disabled, R - running" and "Columns: NAME, MTU", which may continue on
// several lines; flags are the letters.
func routerosHead(lines []string) (flags string, body []string) {
	in := ""
	for _, line := range lines {
		t := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(t, "Flags:"):
			in = "flags"
		case strings.HasPrefix(t, "Columns:"), strings.HasPrefix(t, "Column:"):
			in = "columns"
		case in == "flags" && routerosFlag.MatchString(t) && !strings.Contains(t, "="):
		case in == "columns" && strings.HasSuffix(strings.TrimSpace(last(body)), ","):
		default:
			in = ""
		}
		switch in {
		case "flags":
			for _, m := range routerosFlag.FindAllStringSubmatch(t, -1) {
				flags += m[1]
			}
		case "":
			body = append(body, line)
		}
	}
	return flags, body
}

var routerosFlag = lazyregexp.New(`(?:^|[\s:;,])([A-Za-z+*]) - [A-Za-z]`)

func last(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

// routerosDetail reads rows of name=value, which may continue on several lines: print detail, print terse, as-value.
func routerosDetail(lines []string) []routerosRow {
	var rows []routerosRow
	open := false // a value in quotes continues on the next line
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		rest, begins := line, len(rows) == 0
		if m := routerosKey.FindStringSubmatch(line); !open && !begins && m != nil && rows[len(rows)-1].values[m[1]] != "" {
			begins = true // for entries that have neither an index nor flags
		}
		if !open {
			flags := ""
			if m := routerosIndex.FindStringSubmatchIndex(line); m != nil {
				begins, rest = true, line[m[3]:]
			} else if m := routerosBare.FindStringSubmatch(line); m != nil {
				begins = true
			}
			if begins {
				if m := routerosFlags.FindStringSubmatch(rest); m != nil {
					flags, rest = strings.ReplaceAll(m[1], " ", ""), m[2]
				}
				rows = append(rows, routerosRow{flags: flags, line: line})
			}
		}
		if strings.HasPrefix(strings.TrimSpace(rest), ";;;") {
			continue // a comment up to the end of the line
		}
		row := &rows[len(rows)-1]
		if strings.HasPrefix(strings.TrimSpace(rest), ".id=") || !begins && len(row.values) > 0 &&
			strings.Contains(rest, ";.id=") {
			rows = append(rows[:len(rows)-1], routerosAsValue(rest)...)
			continue
		}
		open = routerosKeys(row, rest, line)
	}
	return slices.DeleteFunc(rows, func(r routerosRow) bool { return len(r.values) == 0 })
}

// routerosBare is a row without an index: the dynamic routes of RouterOS 7. routerosFlags are the letters before the
// rest.
var (
	routerosBare  = lazyregexp.New(`^[A-Za-z+]{1,6}\s+[a-z][a-z-]*=`)
	routerosFlags = lazyregexp.New(`^\s*((?:[A-Za-z+*] ?){0,6})\s+(;;;.*|\.?[a-z][a-z0-9.-]*=.*)$`)
)

// routerosKeys reads name=value of one line; open reports that a value in quotes does not end on it.
func routerosKeys(row *routerosRow, text, line string) (open bool) {
	for {
		m := routerosKey.FindStringSubmatchIndex(text)
		if m == nil {
			return false
		}
		key := text[m[2]:m[3]]
		text = text[m[1]:]
		if strings.HasPrefix(text, `"`) {
			end := strings.Index(text[1:], `"`)
			if end < 0 {
				row.set(key, text[1:], line)
				return true
			}
			row.set(key, text[1:1+end], line)
			text = text[end+2:]
			continue
		}
		end := len(text)
		if n := routerosKey.FindStringIndex(text); n != nil {
			end = n[0]
		}
		row.set(key, text[:end], line)
		text = text[end:]
	}
}

// routerosAsValue reads .id=*1;name=ether1;..., one entry after the other.
func routerosAsValue(text string) (rows []routerosRow) {
	for _, part := range strings.Split(text, ";") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			continue
		}
		if len(rows) == 0 || rows[len(rows)-1].values[key] != "" {
			rows = append(rows, routerosRow{})
		}
		rows[len(rows)-1].set(strings.TrimSpace(key), value, text)
	}
	return rows
}

// parseRouterOSJSON reads an answer of the REST interface: an object or a list of objects, all values strings.
func parseRouterOSJSON(text []byte) ([]routerosRow, error) {
	var list []map[string]any
	if text[0] == '{' {
		text = slices.Concat([]byte("["), text, []byte("]"))
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("JSON: %.100s", facts.OneLine(err.Error()))
	}
	var rows []routerosRow
	for _, entry := range list {
		var row routerosRow
		for key, v := range entry {
			value := facts.OneLine(fmt.Sprint(v))
			row.set(key, value, fmt.Sprintf("%q:%q", key, value))
		}
		for flag, key := range map[string]string{"X": "disabled", "R": "running", "D": "dynamic", "I": "inactive"} {
			if row.values[key] == "true" {
				row.flags += flag
			}
		}
		if len(row.values) > 0 {
			row.line = row.lines["name"]
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("there is no entry in it")
	}
	return rows, nil
}
