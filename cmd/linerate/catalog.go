package main

import (
	"fmt"
	"path/filepath"
	"runtime"

	"linerate/internal/design/catalog"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// partsFolder is the folder of a user's own parts, beside a fabric file and in
// the user's folder of settings.
const partsFolder = "parts.d"

// catalog is the embedded catalogue with the user's own parts over it: those of
// the user's folder, then those beside the fabric file.
func (e *env) catalog(fabricFile string) (*catalog.Catalog, error) {
	c, err := catalog.Load()
	if err != nil {
		return nil, err
	}
	var files []catalog.File
	var problems catalog.Problems
	folders := []string{filepath.Join(filepath.Dir(fabricFile), partsFolder)}
	if own := e.settingsFolder(); own != "" && !sameFolder(own, filepath.Dir(fabricFile)) {
		folders = append([]string{filepath.Join(own, partsFolder)}, folders...)
	}
	for _, dir := range folders {
		f, wrong := catalog.ReadFolder(dir)
		files, problems = append(files, f...), append(problems, wrong...)
	}
	if len(problems) > 0 {
		return nil, fail(exitInput, problems)
	}
	if len(files) == 0 {
		return c, nil
	}
	over, problems := c.With(files...)
	if len(problems) > 0 {
		return nil, fail(exitInput, problems)
	}
	return over, nil
}

func sameFolder(a, b string) bool {
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	return errX == nil && errY == nil && x == y
}

// settingsFolder is where the user's settings of linerate are; empty: nowhere.
// Without XDG_CONFIG_HOME it is ~/.config/linerate, in Windows %AppData%\linerate.
func (e *env) settingsFolder() string {
	get := e.getenv
	if get == nil {
		return ""
	}
	if dir := get("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "linerate")
	}
	if runtime.GOOS == "windows" {
		if dir := get("AppData"); dir != "" {
			return filepath.Join(dir, "linerate")
		}
		return ""
	}
	if home := get("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "linerate")
	}
	return ""
}

// recorded are the user's own parts as a run keeps them.
func recorded(files []catalog.File) []record.PartsFile {
	var kept []record.PartsFile
	for _, f := range files {
		kept = append(kept, record.PartsFile{Name: f.Name, Text: string(f.Text)})
	}
	return kept
}

// recordedCatalog is the catalogue with the parts over it that a run was planned
// with; what stands in the user's folders by now does not matter.
func recordedCatalog(o *runfolder.Opened) (*catalog.Catalog, error) {
	c, err := catalog.Load()
	if err != nil || len(o.Run.Parts) == 0 {
		return c, err
	}
	var files []catalog.File
	for _, f := range o.Run.Parts {
		files = append(files, catalog.File{Name: f.Name, Text: []byte(f.Text)})
	}
	over, problems := c.With(files...)
	if len(problems) > 0 {
		return nil, fail(exitInput, fmt.Errorf("the files of parts in %s are no longer understood by this version:\n%w", o.Dir, problems))
	}
	return over, nil
}
