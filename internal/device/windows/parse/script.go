package parse

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"linerate/internal/facts"
)

// windowsSchema is the form of the output of collect's script: {"schema": .., "commands": [{"name": "Get-NetAdapter",
// "objects": [..]} or {"name": .., "text": ["a line", ..]} or {"name": .., "reason": ".."}]}.
const windowsSchema = "linerate/windows/1"

// scriptCommand is the output of one command of the script.
type scriptCommand struct {
	name, text, reason string
	objects            []psObject
}

func ParseScript(text []byte) ([]scriptCommand, error) {
	var in struct {
		Schema   string `json:"schema"`
		Commands []struct {
			Name    string          `json:"name"`
			Text    []string        `json:"text"`
			Reason  string          `json:"reason"`
			Objects json.RawMessage `json:"objects"`
		} `json:"commands"`
	}
	if len(text) == 0 {
		return nil, errors.New("the output is empty: powershell.exe ended without a word, as the one of Wine does")
	}
	err := json.Unmarshal(text, &in)
	if err != nil {
		return nil, jsonError(err)
	}
	if in.Schema != windowsSchema {
		return nil, fmt.Errorf("its schema is %.40q; this program reads %s", in.Schema, windowsSchema)
	}
	var out []scriptCommand
	for _, c := range in.Commands {
		if c.Name == "" {
			return nil, errors.New("a command in it has no name")
		}
		s := scriptCommand{name: c.Name, text: strings.TrimSpace(strings.Join(c.Text, "\n")), reason: facts.OneLine(c.Reason)}
		if len(c.Objects) > 0 {
			if s.objects, err = parsePSJSON(c.Objects); err != nil && err != errEmpty {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
		}
		out = append(out, s)
	}
	return out, nil
}
