package guest

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// moduleTable is a kernel's modules.dep: each module's file with its dependencies, all below the folder of the kernel's
// modules ("kernel/net/ipv4/udp_tunnel.ko.xz").
type moduleTable map[string][]string

// parseModulesDep reads modules.dep (modules.dep(5)): a line a module, "FILE: FILE FILE".
func parseModulesDep(r io.Reader) (moduleTable, error) {
	out := moduleTable{}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for line := 1; in.Scan(); line++ {
		text := strings.TrimSpace(in.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		file, rest, ok := strings.Cut(text, ":")
		if !ok {
			return nil, fmt.Errorf("modules.dep, line %d: %.80q has no colon", line, text)
		}
		needs := strings.Fields(rest)
		for _, f := range append([]string{file}, needs...) {
			if f == "" || path.IsAbs(f) || path.Clean(f) != f || strings.HasPrefix(f, "..") ||
				strings.ContainsAny(f, " \t\x00") {
				return nil, fmt.Errorf("modules.dep, line %d: %.80q is not a file below the kernel's modules", line, f)
			}
		}
		out[file] = needs
	}
	return out, in.Err()
}

// moduleName returns the name of a module's file: kernel/drivers/nvme/host/nvme-rdma.ko.xz is nvme_rdma.
func moduleName(file string) string {
	name, _, _ := strings.Cut(path.Base(file), ".ko")
	return strings.ReplaceAll(name, "-", "_")
}

// closure returns the files of the modules and all their dependencies, in load order, and the names that are not
// modules of this kernel (built in, or missing).
func (m moduleTable) closure(names []string) (files, absent []string) {
	byName := map[string]string{}
	for f := range m {
		byName[moduleName(f)] = f
	}
	done := map[string]bool{}
	var add func(file string)
	add = func(file string) {
		if done[file] {
			return
		}
		done[file] = true // before its dependencies, so that a cycle ends
		for _, n := range m[file] {
			add(n)
		}
		files = append(files, file)
	}
	for _, n := range names {
		if f, ok := byName[strings.ReplaceAll(n, "-", "_")]; ok {
			add(f)
		} else if !slices.Contains(absent, n) {
			absent = append(absent, n)
		}
	}
	return files, absent
}
