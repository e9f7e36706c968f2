package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"linerate/agent"
	"linerate/measure"
	"linerate/verbs"
)

// verbsProgram finds linerate-verbs for a system: beside this program, else, for this machine's own system, built by its C compiler into the
// user's cache. An error says why there is none.
func verbsProgram(ctx context.Context, system, arch string) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	same := system == runtime.GOOS && arch == runtime.GOARCH
	names := []string{measure.VerbsFile(system, arch)}
	if same {
		names = append(names, measure.VerbsProgram)
	}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(self), name))
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return b, err
		}
	}
	if !same {
		return nil, errors.New(measure.VerbsFile(system, arch) + " is not beside linerate; make verbs builds it, in linerate's source")
	}
	path, err := verbs.Build(ctx, agent.CacheDir())
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
