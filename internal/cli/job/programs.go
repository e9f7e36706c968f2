package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"linerate/internal/agent/deploy"
	"linerate/internal/cli"
	"linerate/internal/design/catalog"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic/halo"
	verbs "linerate/internal/traffic/rdma"
	"linerate/rdma"
)

// VerbsProgram finds linerate-verbs for a system: next to this program, as in archives, or in lib/linerate, as in
// packages of distributions; else, for this machine's own system, it builds it with its C compiler into the user's
// cache. The error is why there is none.
func VerbsProgram(ctx context.Context, system, arch string) ([]byte, error) {
	return helperProgram(ctx, verbs.Program, system, arch, rdma.Build)
}

// mpiProgram is the same for linerate-mpi.
func mpiProgram(ctx context.Context, system, arch string) ([]byte, error) {
	return helperProgram(ctx, halo.MPIProgram, system, arch, rdma.BuildMPI)
}

func helperProgram(ctx context.Context, program, system, arch string,
	build func(ctx context.Context, cacheDir string) (string, error)) ([]byte, error) {
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
	nextTo := filepath.Dir(self)
	for _, dir := range []string{nextTo, filepath.Join(filepath.Dir(nextTo), "lib", "linerate")} {
		for _, name := range names {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				return b, err
			}
		}
	}
	if !same {
		return nil, errors.New(of + " is not next to linerate; make verbs builds it, in linerate's source")
	}
	path, err := build(ctx, deploy.CacheDir())
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// Recorded are the user's own parts in the form of a run's record.
func Recorded(files []catalog.File) []record.PartsFile {
	var kept []record.PartsFile
	for _, f := range files {
		kept = append(kept, record.PartsFile{Name: f.Name, Text: string(f.Text)})
	}
	return kept
}

// known is a connection with its secret, or why it has none.
type known struct {
	spec connect.Spec
	err  error
}

// hostSecrets asks for the secrets of all measured hosts over tcp, before anything is measured.
func hostSecrets(e *cli.Env, p *plan.Plan, combinations []*experiment.Combination) map[string]known {
	need := map[string]bool{}
	for _, c := range combinations {
		if c.Record.NotRun == "" {
			for _, h := range c.Hosts() {
				need[h] = true
			}
		}
	}
	out := map[string]known{}
	for _, h := range p.Hosts {
		if !need[h.Name] || h.Connection == "" {
			continue
		}
		spec, err := connect.ParseFile(h.Connection)
		if err != nil || spec.Kind != connect.TCP {
			continue
		}
		spec, err = e.WithSecret(h.Name, spec)
		out[h.Name] = known{spec, err}
	}
	return out
}
