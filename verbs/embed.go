// Package verbs has the sources of linerate-verbs, the hot loop of the method verbs in C, and builds it on the machine
// that it is to run on. docs/design/rdma.md describes what it is told and what it answers; verbs/Makefile builds it for other machines.
package verbs

import (
	"bytes"
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

//go:embed c/*.c c/*.h
var sources embed.FS

// ErrNoCompiler is of a machine that lacks what linerate-verbs is built with; the error that wraps it says what to install.
var ErrNoCompiler = errors.New("linerate-verbs cannot be built here")

const (
	install     = "apt-get install gcc libc6-dev libibverbs-dev librdmacm-dev (Debian), or dnf install gcc rdma-core-devel (Fedora)"
	compileTime = 2 * time.Minute
)

// flags are those of the Makefile, without what makes a warning of another compiler an error.
var flags = []string{"-std=gnu11", "-O2", "-Wall", "-Wextra"}

// Build compiles linerate-verbs with this machine's C compiler (CC, else cc) into cacheDir, unless it is there already, and returns
// its path. The name holds a hash of the sources, the flags and the compiler's name, so that programs of different versions stand side by side, and it is there
// whole or not at all.
func Build(ctx context.Context, cacheDir string) (string, error) {
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	path := filepath.Join(cacheDir, "linerate-verbs-"+name(cc))
	if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() && fi.Mode()&0o100 != 0 {
		return path, nil
	}
	if _, err := exec.LookPath(cc); err != nil {
		return "", fmt.Errorf("%w: there is no C compiler %s; %s", ErrNoCompiler, cc, install)
	}
	if err := os.MkdirAll(cacheDir, 0o700); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(cacheDir, ".verbs-*") // beside the result, so that it can be renamed
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	if err := unpack(work); err != nil {
		return "", err
	}
	made := filepath.Join(work, "linerate-verbs")
	if err := compile(ctx, cc, work, made); err != nil {
		return "", err
	}
	return path, os.Rename(made, path)
}

func name(cc string) string {
	h := sha256.New()
	fmt.Fprintln(h, cc, flags)
	fs.WalkDir(sources, "c", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, _ := sources.ReadFile(path)
			fmt.Fprintln(h, path, len(text))
			h.Write(text)
		}
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// unpack writes the sources into a folder.
func unpack(dir string) error {
	entries, err := sources.ReadDir("c")
	for _, e := range entries {
		text, rerr := sources.ReadFile("c/" + e.Name())
		err = errors.Join(err, rerr, os.WriteFile(filepath.Join(dir, e.Name()), text, 0o600))
	}
	return err
}

func compile(ctx context.Context, cc, work, out string) error {
	ctx, cancel := context.WithTimeout(ctx, compileTime)
	defer cancel()
	files, err := filepath.Glob(filepath.Join(work, "*.c"))
	if err != nil {
		return err
	}
	args := append(append(append([]string{}, flags...), "-o", out), files...)
	cmd := exec.CommandContext(ctx, cc, append(args, "-ldl", "-lpthread")...)
	cmd.WaitDelay = time.Second // a compiler's own children may hold its output
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("building linerate-verbs with %s: %w", cc, ctx.Err())
		}
		return failure(cc, err, said.String())
	}
	return nil
}

// failure tells missing headers from a compiler that cannot.
func failure(cc string, err error, said string) error {
	for line := range strings.Lines(said) {
		if strings.Contains(line, "No such file") || strings.Contains(line, "not found") || strings.Contains(line, "cannot find") {
			line = strings.TrimPrefix(strings.TrimSpace(line), "In file included from ")
			return fmt.Errorf("%w: %.300s; %s", ErrNoCompiler, line, install)
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return fmt.Errorf("%w: %s: %w: %.300s; %s", ErrNoCompiler, cc, err, first, install)
}
