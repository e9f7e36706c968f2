package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"linerate/parts"
)

// maxPartsFile bounds what is read of a file of parts; parts.Check refuses less.
const maxPartsFile = 2 << 20

// checkParts looks for mistakes in files of parts, as a catalogue has them.
func (e *env) checkParts(catalog *parts.Catalog, names []string, asJSON bool) error {
	problems := []*parts.Problem{}
	for _, name := range names {
		text, err := readPartsFile(name)
		if err != nil {
			return fail(exitInput, fmt.Errorf("%w; check the path and the rights", err))
		}
		problems = append(problems, catalog.Check(name, text)...)
	}
	var all []error // what is not told as JSON
	switch {
	case asJSON:
		if err := e.object("parts-check", map[string]any{"files": names, "problems": problems}); err != nil {
			return err
		}
	case len(problems) == 0:
		for _, name := range names {
			fmt.Fprintf(e.out, "%s: no mistakes\n", name)
		}
	default:
		for _, p := range problems {
			all = append(all, p)
		}
	}
	if len(problems) > 0 {
		return fail(exitInput, errors.Join(all...))
	}
	return nil
}

func readPartsFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxPartsFile))
}
