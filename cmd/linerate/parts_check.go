package main

import (
	"fmt"

	"linerate/internal/design/catalog"
)

// checkParts looks for mistakes in files of parts, as a catalogue has them.
func (e *env) checkParts(entries *catalog.Catalog, names []string, asJSON bool) error {
	problems := catalog.Problems{}
	for _, name := range names {
		f, err := catalog.ReadFile(name)
		if err != nil {
			return fail(exitInput, fmt.Errorf("%s: %w; check the path and the rights", name, err))
		}
		problems = append(problems, entries.Check(name, f.Text)...)
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
	default:
		return fail(exitInput, problems)
	}
	if len(problems) > 0 {
		return fail(exitInput, nil)
	}
	return nil
}
