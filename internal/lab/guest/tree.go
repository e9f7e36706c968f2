package guest

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"linerate/internal/base/xslices"
)

// tree is a folder into which packages were unpacked. Nothing in a package can escape it: files are accessed through
// os.Root, and the system never follows links.
type tree struct {
	root *os.Root
	dir  string
}

func newTree(dir string) (*tree, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &tree{root: root, dir: dir}, nil
}

func (t *tree) close() { t.root.Close() }

// The limits of what a package may hold: Debian's largest here, the kernel, has 5000 files and 110 MiB.
const (
	fileLimit    = 1 << 30 // bytes of one file
	unpackLimit  = 4 << 30 // bytes of all
	unpackFiles  = 200_000
	symlinkDepth = 16
)

// merged returns the path of a package's file in a system with merged folders (usrmerge): usr/bin/dash for bin/dash. It
// is empty if the name is not below the root.
func merged(name string) string {
	name = path.Clean("/" + name)[1:]
	first, rest, _ := strings.Cut(name, "/")
	switch {
	case strings.ContainsRune(name, 0):
		return ""
	case first == "bin" || first == "sbin" || first == "lib" || first == "lib64":
		if rest == "" {
			return ""
		}
		return "usr/" + name
	}
	return name
}

// counter bounds the total that is unpacked.
type counter struct {
	bytes int64
	files int
}

// unpack writes the wanted files of a package's archive into the tree. Owners, times and device nodes are ignored.
func (t *tree) unpack(r io.Reader, want func(name string) bool, c *counter) error {
	in := tar.NewReader(r)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := merged(h.Name)
		if name == "" || !want(name) {
			continue
		}
		if c.files++; c.files > unpackFiles {
			return fmt.Errorf("the packages hold more than %d files; that is not a Debian", unpackFiles)
		}
		if err := t.entry(in, h, name, c); err != nil {
			return fmt.Errorf("%s: %w", h.Name, err)
		}
	}
}

func (t *tree) entry(in io.Reader, h *tar.Header, name string, c *counter) error {
	if h.Typeflag == tar.TypeDir {
		return t.root.MkdirAll(name, 0o755)
	}
	if err := t.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	if err := t.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // two packages may have the same file: the later one wins
	}
	switch h.Typeflag {
	case tar.TypeSymlink:
		return t.root.Symlink(h.Linkname, name)
	case tar.TypeLink:
		return t.root.Link(merged(h.Linkname), name)
	case tar.TypeReg:
		if c.bytes += h.Size; h.Size > fileLimit || c.bytes > unpackLimit {
			return fmt.Errorf("%d bytes, %d in all, are more than a Debian package has", h.Size, c.bytes)
		}
		f, err := t.root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, fs.FileMode(h.Mode).Perm()|0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, in)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		return err
	}
	return nil
}

// resolve follows links inside the tree, with absolute links relative to its root, and returns the name of a file or
// folder.
func (t *tree) resolve(name string) (string, error) {
	name = merged(name)
	for range symlinkDepth {
		done, rest := "", name
		again := false
		for rest != "" {
			var part string
			part, rest, _ = strings.Cut(rest, "/")
			here := path.Join(done, part)
			fi, err := t.root.Lstat(here)
			if err != nil {
				return "", err
			}
			if fi.Mode()&fs.ModeSymlink == 0 {
				done = here
				continue
			}
			target, err := t.root.Readlink(here)
			if err != nil {
				return "", err
			}
			if !path.IsAbs(target) {
				target = path.Join(done, target)
			}
			if name = merged(path.Join(target, rest)); name == "" {
				return "", &fs.PathError{Op: "resolve", Path: here, Err: fs.ErrNotExist}
			}
			again = true
			break
		}
		if !again {
			return done, nil
		}
	}
	return "", fmt.Errorf("%s: more than %d links one after another", name, symlinkDepth)
}

// path returns the path of a resolved name on this machine.
func (t *tree) path(name string) string { return filepath.Join(t.dir, filepath.FromSlash(name)) }

// exists reports whether a name leads to a file or folder.
func (t *tree) exists(name string) bool {
	_, err := t.resolve(name)
	return err == nil
}

// list returns the names in a folder, sorted; none if there is no such folder.
func (t *tree) list(dir string) []string {
	at, err := t.resolve(dir)
	if err != nil {
		return nil
	}
	entries, err := fs.ReadDir(t.root.FS(), at)
	if err != nil {
		return nil
	}
	return xslices.Map(entries, fs.DirEntry.Name)
}

// eachDeb calls read with the archive in a package.
func eachDeb(ctx context.Context, deb string, read func(io.Reader) error) error {
	err := piped(exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", deb), read)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(deb), err)
	}
	return nil
}

// piped calls read with the output of a command.
func piped(cmd *exec.Cmd, read func(io.Reader) error) error {
	defer ownGroup(cmd)()
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = read(out)
	if err == nil {
		_, err = io.Copy(io.Discard, out)
	}
	out.Close()
	if werr := cmd.Wait(); werr != nil && err == nil {
		err = fmt.Errorf("%w: %s", werr, lastLine(errs.String()))
	}
	return err
}
