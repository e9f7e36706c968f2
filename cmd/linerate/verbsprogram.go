package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"linerate/measure"
)

// verbsProgram finds linerate-verbs for a system beside this program; nil: it is not there, and each host uses its own.
func verbsProgram(system, arch string) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil
	}
	names := []string{measure.VerbsFile(system, arch)}
	if system == runtime.GOOS && arch == runtime.GOARCH {
		names = append(names, measure.VerbsProgram)
	}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(self), name))
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return b, err
		}
	}
	return nil, nil
}
