package guest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// MissingError names what this machine needs for guests and does not have, and how to get it. The lab then uses
// namespaces.
type MissingError struct {
	What string // "qemu-system-x86_64 is not here"
	Try  string // the command that installs it; may be empty
}

func (e *MissingError) Error() string {
	if e.Try == "" {
		return e.What
	}
	return e.What + "; try: " + e.Try
}

// fetcher gets packages from Debian through apt, whatever this machine has installed.
type fetcher struct {
	dir   string
	lists string // a folder of package lists of its own; empty: the machine's
	say   func(format string, args ...any)
}

// debs returns the folder of the packages' files.
func (f *fetcher) debs() string { return filepath.Join(f.dir, "debs") }

// fetch returns the files of the newest kernel, of the packages and of all their dependencies, as for an empty system.
func (f *fetcher) fetch(ctx context.Context, packages []string) ([]string, error) {
	if err := f.prepare(); err != nil {
		return nil, err
	}
	var debs []string
	err := f.withLists(ctx, func() (err error) {
		debs, err = f.download(ctx, packages)
		return err
	})
	return debs, err
}

// prepare makes the folder, if this machine can fetch packages at all.
func (f *fetcher) prepare() error {
	for _, p := range []string{"apt-get", "apt-cache", "dpkg-deb"} {
		if _, err := exec.LookPath(p); err != nil {
			return &MissingError{
				What: p + " is not here, and a guest is made of Debian's packages: build the image on Debian, or in a " +
					"container of it",
			}
		}
	}
	if err := os.MkdirAll(filepath.Join(f.debs(), "partial"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(f.conf(), []byte(noHooks), 0o600)
}

// noHooks disables the hooks that an administrator has configured in apt: nothing on the machine is changed here, and
// many hooks fail without root.
const noHooks = `#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear AptCli::Hooks;
`

// conf returns a file that apt reads after the machine's own configuration.
func (f *fetcher) conf() string { return filepath.Join(f.dir, "hooks.conf") }

// withLists tries with the machine's package lists, then, since those may be missing or old, with its own lists, which
// need no root.
func (f *fetcher) withLists(ctx context.Context, try func() error) error {
	err := try()
	if err == nil || ctx.Err() != nil || diskFull(err) { // on a full disk apt hangs while it writes its lists
		return err
	}
	f.lists = filepath.Join(f.dir, "lists")
	if err := os.MkdirAll(filepath.Join(f.lists, "partial"), 0o755); err != nil {
		return err
	}
	what := err.Error()
	if missing := (*MissingError)(nil); errors.As(err, &missing) {
		what = missing.What
	}
	f.say("reading the package lists again (%s)", what)
	update := f.apt(ctx, "apt-get", "update")
	defer ownGroup(update)()
	out, uerr := update.CombinedOutput()
	if uerr != nil {
		return fetchError(ctx, uerr, string(out))
	}
	err = try()
	// For apt an unreachable archive is only a warning, with empty lists.
	if failed := saidLines(string(out), "W: Failed to fetch "); err != nil && ctx.Err() == nil && failed != "" {
		return &MissingError{What: "Debian's package lists cannot be fetched: " + failed, Try: tryFetch}
	}
	return err
}

// apt returns an apt command that assumes nothing is installed and writes only to the folder.
func (f *fetcher) apt(ctx context.Context, program string, args ...string) *exec.Cmd {
	opts := []string{"-c", f.conf(), "-o", "Dir::State::status=/dev/null", "-o", "Dir::Cache=" + f.dir, "-o",
		"Dir::Cache::archives=" + f.debs(), "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=", "-o",
		"Debug::NoLocking=1", "-o", "APT::Install-Recommends=false", "-o", "APT::Sandbox::User=root", "-o",
		"Acquire::Retries=3", "-o", "Acquire::http::Timeout=30"}
	if f.lists != "" {
		opts = append(opts, "-o", "Dir::State::lists="+f.lists)
	}
	cmd := exec.CommandContext(ctx, program, append(opts, args...)...)
	// apt leaves files in TMPDIR when it is killed.
	cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive", "TMPDIR="+f.dir)
	return cmd
}

func (f *fetcher) download(ctx context.Context, packages []string) ([]string, error) {
	out, err := f.apt(ctx, "apt-cache", "pkgnames", "linux-image-").Output()
	if err != nil {
		return nil, fetchError(ctx, err, "apt-cache pkgnames")
	}
	kernel := newestKernel(string(out))
	if kernel == "" {
		return nil, &MissingError{
			What: "the package lists of this machine have no kernel of Debian for amd64 (linux-image-VERSION-amd64)",
			Try:  "apt-get update, with a line for main of Debian in /etc/apt/sources.list",
		}
	}
	f.say("fetching %s and what else a guest needs, some 150 MB", kernel)
	if err := f.get(ctx, append([]string{"-y", "--download-only", "install", kernel}, packages...)...); err != nil {
		return nil, err
	}
	debs, err := filepath.Glob(filepath.Join(f.debs(), "*.deb"))
	if err == nil && len(debs) == 0 {
		err = errors.New("apt-get fetched no package")
	}
	slices.Sort(debs)
	return debs, err
}

// fetchError returns apt's error: its first line that begins with E:, or else its last one.
func fetchError(ctx context.Context, err error, out string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &MissingError{What: fmt.Sprintf("Debian's packages for the guest cannot be fetched (%v): %s", err,
		cmp.Or(saidLines(out, "E: "), lastLine(out))),
		Try: tryFetch}
}

const tryFetch = "apt-get update, and look at the network, at a proxy that apt uses (apt-config dump | grep " +
	"-i proxy) and at /etc/apt"

// saidLines returns the first line that begins with a word, without it, and the number of further ones; empty if there
// is none.
func saidLines(out, word string) (first string) {
	n := 0
	for line := range strings.Lines(out) {
		if rest, ok := strings.CutPrefix(line, word); ok {
			if n++; n == 1 {
				first = strings.TrimSpace(rest)
			}
		}
	}
	if n > 1 {
		first += fmt.Sprintf("; and %d more of them", n-1)
	}
	return first
}

var kernelName = regexp.MustCompile(`^linux-image-([0-9]+(?:\.[0-9]+)+(?:-[0-9]+)?)(?:\+[a-z0-9.]+)?-amd64$`)

// newestKernel picks the package with the highest version among the names of linux-image packages: neither metapackages
// nor flavours (cloud, rt, unsigned, dbg).
func newestKernel(names string) string {
	best := ""
	var version []int
	for _, name := range strings.Fields(names) {
		m := kernelName.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		var v []int
		for _, n := range strings.FieldsFunc(m[1], func(r rune) bool { return r == '.' || r == '-' }) {
			i, err := strconv.Atoi(n)
			if err != nil {
				continue
			}
			v = append(v, i)
		}
		if c := slices.Compare(v, version); best == "" || c > 0 || c == 0 && name > best {
			best, version = name, v
		}
	}
	return best
}

// diskFull reports whether a disk or a quota was full, also from a program's message (in the C locale; the last ones
// are apt's).
func diskFull(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	return err != nil &&
		slices.ContainsFunc([]string{"No space left on device", "Disk quota exceeded", "enough free space in"},
			func(s string) bool { return strings.Contains(err.Error(), s) })
}
