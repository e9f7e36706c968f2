package guest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
)

// kernelPackages are the packages for building modules of one kernel.
type kernelPackages struct {
	Version  string // of all of them
	Headers  string // linux-headers-6.12.117+deb12-amd64
	Common   string // linux-headers-6.12.117+deb12-common
	Kbuild   string // linux-kbuild-6.12.117+deb12
	Source   string // linux-source-6.12
	Compiler string // gcc-12: code of another compiler might not fit the kernel
}

var dependency = regexp.MustCompile(
	`(?:^|[\s,|])(linux-headers-[^\s,]+-common|linux-kbuild-[^\s,]+|(?:linux-compiler-)?gcc-[0-9]+)`,
)

// parseHeaders reads the description of a kernel header package (deb822(5)), of its first version.
func parseHeaders(kernel, control string) (p kernelPackages, err error) {
	p.Headers = "linux-headers-" + kernel
	in := bufio.NewScanner(strings.NewReader(control))
	in.Buffer(nil, 1<<20)
	for in.Scan() && (in.Text() != "" || p.Version == "") {
		key, value, _ := strings.Cut(in.Text(), ":")
		switch value = strings.TrimSpace(value); key {
		case "Version":
			p.Version = value
		case "Depends":
			for _, m := range dependency.FindAllStringSubmatch(value, -1) {
				switch name := m[1]; {
				case strings.HasPrefix(name, "linux-headers-"):
					p.Common = name
				case strings.HasPrefix(name, "linux-kbuild-"):
					p.Kbuild = name
				default:
					p.Compiler = strings.TrimPrefix(name, "linux-compiler-")
				}
			}
		}
	}
	parts := strings.SplitN(kernel, ".", 3)
	if len(parts) > 2 {
		p.Source = "linux-source-" + parts[0] + "." + parts[1]
	}
	for what, s := range map[string]string{"version": p.Version, "common headers": p.Common, "linux-kbuild": p.Kbuild,
		"compiler": p.Compiler, "source": p.Source} {
		if s == "" || strings.ContainsAny(s, "/ \t") || strings.HasPrefix(s, "-") {
			return p, fmt.Errorf("the package %s does not say its %s as Debian's do", p.Headers, what)
		}
	}
	return p, nil
}

// kernel finds the packages of a kernel. image is the folder to remove if Debian no longer has that kernel.
func (f *fetcher) kernel(ctx context.Context, kernel, image string) (p kernelPackages, err error) {
	if err := f.prepare(); err != nil {
		return p, err
	}
	err = f.withLists(ctx, func() error {
		var errs strings.Builder
		cmd := f.apt(ctx, "apt-cache", "show", "--no-all-versions", "linux-headers-"+kernel)
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || len(out) == 0 {
			return &MissingError{
				What: fmt.Sprintf("the package lists have no linux-headers-%s, of the kernel in the guests' image (%s)", kernel,
					lastLine(errs.String())),
				Try: "rm -r " + image + ", which makes the image again with the newest kernel, and linerate lab build again",
			}
		}
		p, err = parseHeaders(kernel, string(out))
		return err
	})
	return p, err
}

// sources fetches the packages and returns their files: those of the headers, and that of the source.
func (f *fetcher) sources(ctx context.Context, p kernelPackages) (headers []string, source string, err error) {
	f.say("fetching the kernel's headers and source, some 170 MB")
	args := []string{"download"}
	for _, name := range []string{p.Headers, p.Common, p.Kbuild, p.Source} {
		args = append(args, name+"="+p.Version)
	}
	if err := f.get(ctx, args...); err != nil {
		return nil, "", err
	}
	debs, err := filepath.Glob(filepath.Join(f.debs(), "*.deb"))
	if err != nil {
		return nil, "", err
	}
	for _, d := range debs {
		if strings.HasPrefix(filepath.Base(d), p.Source+"_") {
			source = d
		} else {
			headers = append(headers, d)
		}
	}
	if source == "" || len(headers) < 3 {
		return nil, "", fmt.Errorf("apt-get said that it fetched 4 packages, and there are %d", len(debs))
	}
	return headers, source, nil
}

// toolchain returns an error that names missing programs of the build, and their packages.
func toolchain(p kernelPackages, sets []moduleSet) error {
	var missing, packages []string
	needs := func(what, pack string) {
		missing = append(missing, what)
		packages = xslices.AppendNew(packages, pack)
	}
	for _, n := range [][2]string{{crossPrefix + p.Compiler, p.Compiler}, {crossPrefix + "ld", "binutils"},
		{crossPrefix + "strip", "binutils"}, {"make", "make"}, {"xz", "xz-utils"},
		{"awk", "mawk"}, {"sed", "sed"}, {"grep", "grep"}} {
		if _, err := exec.LookPath(n[0]); err != nil {
			needs(n[0], n[1])
		}
	}
	find := func(what, pack string, files ...string) {
		if !slices.ContainsFunc(files, func(f string) bool { _, err := os.Stat(f); return err == nil }) {
			needs(what, pack)
		}
	}
	// Its name without -dev differs between releases.
	find("libelf.so.1", "libelf-dev", "/usr/lib/x86_64-linux-gnu/libelf.so.1", "/usr/lib64/libelf.so.1",
		"/usr/lib/libelf.so.1")
	if slices.ContainsFunc(sets, func(s moduleSet) bool { return s.ASN1 }) {
		find("stdio.h", "libc6-dev", "/usr/include/stdio.h")
	}
	if len(missing) == 0 {
		return nil
	}
	return &MissingError{
		What: fmt.Sprintf("building modules for the guests' kernel needs what is not here: %s", strings.Join(missing, ", ")),
		Try:  "apt-get install --no-install-recommends " + strings.Join(packages, " "),
	}
}

// crossPrefix is the prefix of the compiler's programs in Debian's headers.
const crossPrefix = "x86_64-linux-gnu-"

// plainPath refuses a folder in which make cannot build.
func plainPath(dir string) error {
	if strings.ContainsAny(dir, " \t\n:#$%=\\'\"`&;|<>()*?[]") {
		return &MissingError{What: fmt.Sprintf("the kernel's makefiles build in no folder with such characters: %q", dir),
			Try: "set XDG_CACHE_HOME to a folder with a plain name"}
	}
	return nil
}

var errNoSource = errors.New("the package of the kernel's source holds no linux-source-VERSION.tar.xz")
