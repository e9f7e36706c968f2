package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"linerate/internal/agent"
	"linerate/internal/traffic"
	"linerate/rdma"
)

// verbsProgram finds linerate-verbs for a system: beside this program, as archives have it, or in lib/linerate, as packages of distributions have it, else, for this machine's own system, built by its C compiler into the
// user's cache. An error says why there is none.
func verbsProgram(ctx context.Context, system, arch string) ([]byte, error) {
	return helperProgram(ctx, traffic.VerbsProgram, system, arch, rdma.Build)
}

// mpiProgram is the same of linerate-mpi.
func mpiProgram(ctx context.Context, system, arch string) ([]byte, error) {
	return helperProgram(ctx, traffic.MPIProgram, system, arch, rdma.BuildMPI)
}

func helperProgram(ctx context.Context, program, system, arch string, build func(ctx context.Context, cacheDir string) (string, error)) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	same := system == runtime.GOOS && arch == runtime.GOARCH
	of := fmt.Sprintf("%s-%s-%s", program, system, arch)
	names := []string{of}
	if same {
		names = append(names, program)
	}
	beside := filepath.Dir(self)
	for _, dir := range []string{beside, filepath.Join(filepath.Dir(beside), "lib", "linerate")} {
		for _, name := range names {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				return b, err
			}
		}
	}
	if !same {
		return nil, errors.New(of + " is not beside linerate; make verbs builds it, in linerate's source")
	}
	path, err := build(ctx, agent.CacheDir())
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
