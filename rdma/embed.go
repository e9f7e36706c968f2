// Package rdma contains the sources of linerate-verbs, the hot loop of the method rdma in C, and of linerate-mpi, the
// exchanges of the method halo over MPI, and builds them on the machine that runs them. docs/design/rdma.md and
// docs/design/halo.md describe their commands and answers; rdma/Makefile builds them for other machines.
package rdma

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed c/*.c c/*.h mpi/*.c mpi/*.h
var sources embed.FS

// ErrNoCompiler is a machine without the tools to build the programs; the error that wraps it says what to install.
var ErrNoCompiler = errors.New("it cannot be built here")

const compileTime = 2 * time.Minute

// program is one of the two programs.
type program struct {
	name    string
	folder  string   // of the compiled sources
	files   []string // patterns of all required files
	install string
}

// linerateVerbs and linerateMPI are the two programs; MPI's own headers are not needed.
var (
	linerateVerbs = program{"linerate-verbs", "c", []string{"c/*.c", "c/*.h"},
		"apt-get install gcc libc6-dev libibverbs-dev librdmacm-dev (Debian), or dnf install gcc rdma-core-devel (Fedora)"}
	linerateMPI = program{"linerate-mpi", "mpi", []string{"mpi/*.c", "mpi/*.h", "c/exchange.h"},
		"apt-get install gcc libc6-dev (Debian), or dnf install gcc glibc-devel (Fedora)"}
)

// flags are those of the Makefile, without those that turn warnings of other compilers into errors.
var flags = []string{"-std=gnu11", "-O2", "-Wall", "-Wextra"}

// Build compiles linerate-verbs with this machine's C compiler (CC, else cc) into cacheDir, unless it exists, and
// returns its path. The name contains a hash of the sources, the flags and the compiler's name, so that different
// versions can coexist. The file is created complete or not at all.
func Build(ctx context.Context, cacheDir string) (string, error) {
	return linerateVerbs.build(ctx, cacheDir)
}

// BuildMPI is Build for linerate-mpi.
func BuildMPI(ctx context.Context, cacheDir string) (string, error) {
	return linerateMPI.build(ctx, cacheDir)
}

func (p program) build(ctx context.Context, cacheDir string) (string, error) {
	cc := cmp.Or(os.Getenv("CC"), "cc")
	path := filepath.Join(cacheDir, p.name+"-"+p.hash(cc))
	if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() && fi.Mode()&0o100 != 0 {
		return path, nil
	}
	if _, err := exec.LookPath(cc); err != nil {
		return "", fmt.Errorf("%s: %w: there is no C compiler %s; %s", p.name, ErrNoCompiler, cc, p.install)
	}
	if err := os.MkdirAll(cacheDir, 0o700); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(cacheDir, ".verbs-*") // next to the result, so that it can be renamed
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	if err := p.unpack(work); err != nil {
		return "", err
	}
	made := filepath.Join(work, p.name)
	if err := p.compile(ctx, cc, work, made); err != nil {
		return "", err
	}
	return path, os.Rename(made, path)
}

// sources are the names of its files, in their order.
func (p program) sources() (out []string) {
	for _, pattern := range p.files {
		found, _ := fs.Glob(sources, pattern) // the patterns are valid
		out = append(out, found...)
	}
	return out
}

func (p program) hash(cc string) string {
	h := sha256.New()
	fmt.Fprintln(h, cc, flags)
	for _, name := range p.sources() {
		text, _ := sources.ReadFile(name)
		fmt.Fprintln(h, name, len(text))
		h.Write(text)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// unpack writes the sources into a folder, with their paths.
func (p program) unpack(dir string) error {
	var all []error
	for _, name := range p.sources() {
		text, err := sources.ReadFile(name)
		at := filepath.Join(dir, filepath.FromSlash(name))
		all = append(all, err, os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, text, 0o600))
	}
	return errors.Join(all...)
}

func (p program) compile(ctx context.Context, cc, work, out string) error {
	ctx, cancel := context.WithTimeout(ctx, compileTime)
	defer cancel()
	files, err := filepath.Glob(filepath.Join(work, p.folder, "*.c"))
	if err != nil {
		return err
	}
	args := append(append(append([]string{}, flags...), "-o", out), files...)
	cmd := exec.CommandContext(ctx, cc, append(args, "-ldl", "-lpthread")...)
	cmd.WaitDelay = time.Second // a compiler's child processes may hold its output
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("building %s with %s: %w", p.name, cc, ctx.Err())
		}
		return p.failure(cc, err, said.String())
	}
	return nil
}

// failure distinguishes missing headers from a compiler that fails.
func (p program) failure(cc string, err error, said string) error {
	for line := range strings.Lines(said) {
		if strings.Contains(line, "No such file") || strings.Contains(line, "not found") ||
			strings.Contains(line, "cannot find") {
			line = strings.TrimPrefix(strings.TrimSpace(line), "In file included from ")
			return fmt.Errorf("%s: %w: %.300s; %s", p.name, ErrNoCompiler, line, p.install)
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return fmt.Errorf("%s: %w: %s: %w: %.300s; %s", p.name, ErrNoCompiler, cc, err, first, p.install)
}
