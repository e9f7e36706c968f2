package cli

import (
	"path/filepath"
	"runtime"

	"linerate/internal/design/catalog"
)

// partsFolder is the folder of a user's own parts, next to a fabric file and in the user's settings folder.
const partsFolder = "parts.d"

// Catalog is the embedded catalogue overlaid with the user's own parts: those of the user's folder, then those next to
// the fabric file.
func (e *Env) Catalog(fabricFile string) (*catalog.Catalog, error) {
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
		return nil, Fail(ExitInput, problems)
	}
	if len(files) == 0 {
		return c, nil
	}
	over, problems := c.With(files...)
	if len(problems) > 0 {
		return nil, Fail(ExitInput, problems)
	}
	return over, nil
}

func sameFolder(a, b string) bool {
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	return errX == nil && errY == nil && x == y
}

// settingsFolder is where the user's settings of linerate are; empty: nowhere. Without XDG_CONFIG_HOME it is
// ~/.config/linerate, on Windows %AppData%\linerate.
func (e *Env) settingsFolder() string {
	get := e.Getenv
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
