package deploy

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// program is linerate for one system, as a file on this machine.
type program struct {
	path   string
	size   int64
	sha256 string // in hex
	// loader is the program that loads its libraries, on the host too; empty: it needs none.
	loader string
}

const buildTimeout = 5 * time.Minute

// findProgram finds linerate for a system: the file that is named, this program itself, a file next to it, the
// release's archive that is unpacked next to this program's, the user's cache, or a program that is built from source
// into the cache.
func findProgram(ctx context.Context, sys system, opt Options) (program, error) {
	if opt.AgentFile != "" {
		return readProgram(opt.AgentFile, sys)
	}
	self, err := os.Executable()
	if err != nil {
		return program{}, fmt.Errorf("find the running program: %w; try: --agent FILE", err)
	}
	if sys == (system{runtime.GOOS, runtime.GOARCH}) {
		return readProgram(self, sys)
	}
	cache := cmp.Or(opt.CacheDir, CacheDir())
	own, err := readProgram(self, system{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return program{}, err
	}
	if opt.self != "" {
		self = opt.self
	}
	// A program that was built here fits only the controller that has built it.
	built := filepath.Join(cache, "built-"+own.sha256[:16], sys.fileName())
	places := []string{filepath.Join(filepath.Dir(self), sys.fileName()), built}
	if opt.Version != "" {
		places = append(places, filepath.Join(filepath.Dir(filepath.Dir(self)), sys.archive(opt.Version),
			sys.program("linerate")), filepath.Join(cache, opt.Version, sys.fileName()))
	}
	for _, place := range places {
		p, err := readProgram(place, sys)
		if err == nil || !errors.Is(err, os.ErrNotExist) {
			return p, err
		}
	}
	source := cmp.Or(opt.Source, ownSource())
	buildErr := errors.New("linerate's source is not on this machine")
	if isSource(source) {
		if buildErr = build(ctx, source, built, sys); buildErr == nil {
			return readProgram(built, sys)
		}
	}
	try := "in linerate's source: " + buildLine(places[0], sys)
	if source == "" && opt.Version != "" { // a release, whose users have no source
		try = fmt.Sprintf("--agent FILE with the program of the release's %s, or %s", sys.archive(opt.Version), try)
	}
	return program{}, fmt.Errorf("%w: %s: not at %s; not built: %w; try, %s", ErrNoAgent, sys,
		strings.Join(places, ", "), buildErr, try)
}

// CacheDir is the user's folder for what linerate builds; without one, a folder of the system's for temporary files.
func CacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "linerate")
}

// buildLine is the command that builds a program for a system in linerate's source.
func buildLine(path string, sys system) string {
	return fmt.Sprintf("CGO_ENABLED=0 GOOS=%s GOARCH=%s go build -trimpath -o %q ./cmd/linerate", sys.goos, sys.arch, path)
}

// ownSource is the folder of the source that this program was built from; empty after -trimpath.
func ownSource() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return ""
	}
	for dir := file; dir != filepath.Dir(dir); {
		if dir = filepath.Dir(dir); isSource(dir) {
			return dir
		}
	}
	return ""
}

func isSource(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return dir != "" && err == nil && bytes.HasPrefix(text, []byte("module linerate\n"))
}

func build(ctx context.Context, source, path string, sys system) error {
	tool, err := exec.LookPath("go")
	if err != nil {
		return errors.New("there is no Go on this machine's PATH")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, buildTimeout)
	defer cancel()
	part := fmt.Sprintf("%s.%d.part", path, os.Getpid())
	defer os.Remove(part)
	cmd := exec.CommandContext(ctx, tool, "build", "-trimpath", "-o", part, "./cmd/linerate")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+sys.goos, "GOARCH="+sys.arch)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		if len(out) > 500 {
			out = out[len(out)-500:]
		}
		return fmt.Errorf("go build: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return os.Rename(part, path)
}

// readProgram hashes a file and refuses one that was built for another system than the host's.
func readProgram(path string, sys system) (program, error) {
	f, err := os.Open(path)
	if err != nil {
		return program{}, err
	}
	defer f.Close()
	if err := checkProgram(f, sys); err != nil {
		return program{}, fmt.Errorf("%s: %w; try: %s", path, err, buildLine("linerate", sys))
	}
	h := sha256.New()
	size, err := io.Copy(h, io.NewSectionReader(f, 0, 1<<30))
	if err != nil {
		return program{}, fmt.Errorf("read %s: %w", path, err)
	}
	return program{path: path, size: size, sha256: hex.EncodeToString(h.Sum(nil)), loader: loaderOf(f)}, nil
}

// loaderOf returns the loader that an ELF program names; empty: it names none.
func loaderOf(f io.ReaderAt) string {
	e, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	for _, p := range e.Progs {
		if p.Type == elf.PT_INTERP {
			name, _ := io.ReadAll(io.LimitReader(p.Open(), 4096))
			return strings.TrimRight(string(name), "\x00")
		}
	}
	return ""
}

// send opens the program's file and calls a function that sends it within sendTimeout.
func (p program) send(ctx context.Context, with func(context.Context, *os.File) error) error {
	f, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, sendTimeout,
		fmt.Errorf("%d bytes were not sent within %v", p.size, sendTimeout))
	defer cancel()
	return with(ctx, f)
}

// checkProgram reads the header of an ELF, PE or Mach-O file. Not all tools mark an ELF file as one of Linux or
// FreeBSD, so only its architecture is compared.
func checkProgram(f io.ReaderAt, sys system) error {
	var format, arch string
	if e, err := elf.NewFile(f); err == nil {
		format = "ELF"
		arch = map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_386: "386", elf.EM_ARM: "arm",
			elf.EM_RISCV: "riscv64", elf.EM_PPC64: "ppc64le", elf.EM_S390: "s390x", elf.EM_LOONGARCH: "loong64"}[e.Machine]
	} else if p, err := pe.NewFile(f); err == nil {
		format = "PE"
		arch = map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64",
			pe.IMAGE_FILE_MACHINE_I386: "386"}[p.Machine]
	} else if m, err := macho.NewFile(f); err == nil {
		format = "Mach-O"
		arch = map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[m.Cpu]
	} else {
		return fmt.Errorf("it is not a program for %s", sys)
	}
	want := "ELF"
	switch sys.goos {
	case "windows":
		want = "PE"
	case "darwin":
		want = "Mach-O"
	}
	if format != want || arch != sys.arch {
		return fmt.Errorf("it is a %s program for %s, and the host is %s", format, arch, sys)
	}
	return nil
}
