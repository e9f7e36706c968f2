package guest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maker compiles sets of modules in the tree.
type maker struct {
	builder  *moduleBuilder
	tree     *tree
	packages kernelPackages
	log      io.Writer
}

// make compiles one set and returns its modules, without debug information.
func (m *maker) make(ctx context.Context, s moduleSet) (modules []string, err error) {
	say := m.builder.say
	say("compiling %s (%s)", s.Name, s.What)
	if s.ASN1 {
		// The makefiles expect it next to their other programs, and generate parsers with it.
		to := "usr/lib/" + m.packages.Kbuild + "/scripts/asn1_compiler"
		if err := m.command(ctx, s, crossPrefix+m.packages.Compiler, "-O1", "-I", m.tree.path(sourceFolder+"/include"), "-o",
			m.tree.path(to), m.tree.path(sourceFolder+"/scripts/asn1_compiler.c")); err != nil {
			return nil, err
		}
	}
	dir := m.tree.path(sourceFolder + "/" + s.Build)
	// Types for BPF are of no use in a guest, and need one more program (pahole).
	args := append([]string{"--no-print-directory", "-C", m.tree.path("usr/src/" + m.packages.Headers), "M=" + dir,
		"-j" + strconv.Itoa(runtime.NumCPU()), "CONFIG_DEBUG_INFO_BTF_MODULES="},
		s.Config...)
	if d := s.defines(); len(d) > 0 {
		args = append(args, "KCFLAGS="+strings.Join(d, " "))
	}
	if err := m.command(ctx, s, "make", append(args, "modules")...); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && strings.HasSuffix(path, ".ko") {
			modules = append(modules, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(modules) == 0 {
		return nil, fmt.Errorf("make built no module of %s; what it said is in %s", s.Name, m.builder.log)
	}
	return modules, m.command(ctx, s, crossPrefix+"strip", append([]string{"-g"}, modules...)...)
}

// said is the number of a compiler's last lines in the error.
const said = 15

// command runs a program to its end, with its output in the log and its last lines in the error.
func (m *maker) command(ctx context.Context, s moduleSet, name string, args ...string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := exec.CommandContext(ctx, name, args...)
	// The user's settings for other builds (KCFLAGS, ARCH, CROSS_COMPILE, MAKEFLAGS, ..) must not apply.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=" + m.tree.dir, "TMPDIR=" + m.tree.dir}
	cmd.Stdout, cmd.Stderr = w, w
	defer ownGroup(cmd)()
	fmt.Fprintf(m.log, "%s\n", cmd)
	err = cmd.Start()
	w.Close()
	var last []string
	if err == nil {
		last = m.follow(r, s)
		err = cmd.Wait()
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("%s cannot be built for kernel %s: %s: %w; all that it said is in %s, the last of it:\n%s",
			s.Name, m.builder.image.Version, filepath.Base(name), err, m.builder.log, strings.Join(last, "\n"))
	}
	return nil
}

// follow copies a program's output to the log, reports progress, and returns the last lines.
func (m *maker) follow(r io.Reader, s moduleSet) (last []string) {
	every, files, start := pacer{}, 0, time.Now()
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		io.WriteString(m.log, line)
		line = strings.ReplaceAll(strings.TrimRight(line, "\n"), m.tree.dir+"/", "")
		if strings.HasPrefix(strings.TrimSpace(line), "CC ") {
			files++
		}
		if line != "" {
			if last = append(last, line[:min(len(line), 300)]); len(last) > said {
				last = slices.Delete(last, 0, 1)
			}
		}
		if err != nil {
			return last
		}
		if every.now() {
			m.builder.say("compiling %s: %d files in %.0f s", s.Name, files, time.Since(start).Seconds())
		}
	}
}
