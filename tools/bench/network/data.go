//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// savedCase is the rows of one case in the file of -data.
type savedCase struct {
	Case  string              `json:"case"`
	MTU   int                 `json:"mtu"`
	At    time.Time           `json:"at"`
	Rows  map[string][]row    `json:"rows"`
	Notes map[string][]string `json:"notes"`
}

// load sets the cases to the rows that a file has for them. A missing file has none.
func load(name string, cases []*benchCase) error {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var all []savedCase
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
	var all []savedCase
	for _, c := range cases {
		if len(c.rows) > 0 {
			all = append(all, savedCase{c.name, c.mtu, c.at, c.rows, c.notes})
		}
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}
