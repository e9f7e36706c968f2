//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// kept is the rows of one case in the file of -data.
type kept struct {
	Case  string              `json:"case"`
	MTU   int                 `json:"mtu"`
	At    time.Time           `json:"at"`
	Rows  map[string][]row    `json:"rows"`
	Notes map[string][]string `json:"notes"`
}

// recall takes over what a file holds of these cases. A file that is not there holds nothing.
func recall(name string, cases []*benchCase) error {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var all []kept
	if err := json.Unmarshal(text, &all); err != nil {
		return fmt.Errorf("%s: %w; it is no file of -data", name, err)
	}
	for _, k := range all {
		for _, c := range cases {
			if c.name == k.Case && c.mtu == k.MTU && k.Rows != nil {
				c.rows, c.notes, c.at = k.Rows, k.Notes, k.At
			}
		}
	}
	return nil
}

func save(name string, cases []*benchCase) error {
	var all []kept
	for _, c := range cases {
		if len(c.rows) > 0 {
			all = append(all, kept{c.name, c.mtu, c.at, c.rows, c.notes})
		}
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}
