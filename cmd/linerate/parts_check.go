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
	code := exitDone
	if len(problems) > 0 {
		code = exitInput
	}
	switch {
	case asJSON:
		if err := e.object("parts-check", map[string]any{"files": names, "problems": problems}); err != nil {
			return err
		}
	case len(problems) == 0:
		for _, name := range names {
			fmt.Fprintf(e.out, "%s: no mistakes\n", name)
		}
		return nil
	default:
		var all []error
		for _, p := range problems {
			all = append(all, p)
		}
		return fail(code, errors.Join(all...))
	}
	if code != exitDone {
		return fail(code, nil)
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
