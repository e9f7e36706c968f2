package parse

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// ParseModules reads /proc/modules, and lsmod, which omits the last columns. Format:
// https://man7.org/linux/man-pages/man5/proc_modules.5.html; a user of the module that is not a module is in brackets,
// and "-" is none.
//
//	ib_uverbs 192512 2 rdma_rxe,rdma_ucm, Live 0x0000000000000000
//	nvidia_peermem 16384 0 - Live 0x0000000000000000 (OE)
func ParseModules(text []byte) ([]facts.Module, error) {
	list := []facts.Module{}
	var damage error
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || len(list) == 0 && words[0] == "Module" {
			continue
		}
		m, err := parseModule(words)
		if err != nil {
			damage = parse.Partial{Err: err}
			continue
		}
		list = append(list, m)
	}
	if len(list) == 0 && damage != nil {
		return nil, parse.ToolError(text)
	}
	return list, damage
}

func parseModule(words []string) (m facts.Module, err error) {
	if len(words) < 3 {
		return m, fmt.Errorf("module %.40s has %d columns; name, size and users are the least", words[0], len(words))
	}
	size, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil || size < 0 {
		return m, fmt.Errorf("module %.40s: %.40q is not a size", words[0], words[1])
	}
	m = facts.Module{Name: words[0], Size: unit.Bytes(size),
		Version: unit.Unknown[string]("only /proc/modules was read, which has no versions")}
	switch n, err := strconv.Atoi(words[2]); {
	case err == nil && n >= 0:
		m.Users = unit.Known(n)
	case words[2] == "-":
		m.Users = unit.Unknown[int]("this kernel unloads no modules and does not count their users")
	default: // -1 during unloading
		m.Users = unit.Unknown[int]("the kernel says " + strconv.Quote(words[2]))
	}
	if len(words) > 3 {
		for name := range strings.SplitSeq(words[3], ",") {
			if name != "" && name != "-" && name[0] != '[' {
				m.UsedBy = append(m.UsedBy, name)
			}
		}
	}
	if len(words) > 4 {
		m.State = unit.Known(words[4])
	}
	if len(words) > 6 {
		m.Taints = strings.Trim(words[6], "()")
	}
	return m, nil
}

// KeepModules removes the addresses of modules, which the kernel hides from all users except root: a snapshot may be
// published.
func KeepModules(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		words := bytes.Split(line, []byte(" "))
		if len(words) > 5 {
			end := ""
			if bytes.HasSuffix(words[5], []byte("\n")) {
				end = "\n"
			}
			words[5] = []byte("0x0000000000000000" + end)
		}
		out = append(out, bytes.Join(words, []byte(" "))...)
	}
	return out
}

// VersionsSource is the source of the versions of all modules that have one.
const VersionsSource = "grep . /sys/module/*/version"

// readVersions reads the output of VersionsSource.
//
//	/sys/module/mlx5_core/version:24.10-1.1.4
func readVersions(f *parse.Builder, _ []string, text []byte) error {
	versions := versionsOf(f)
	for line := range strings.Lines(string(text)) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), ":")
		if args, ok := parse.Match("sys/module/*/version", strings.TrimPrefix(path, "/")); ok && version != "" {
			versions[args[0]] = version
		} else if path != "" {
			return parse.Partial{Err: errors.New("it has lines that are not /sys/module/NAME/version:VERSION")}
		}
	}
	return nil
}

func putModuleVersion(f *parse.Builder, args []string, v string) {
	versions := versionsOf(f)
	versions[args[0]] = v
}

// SettleModules assigns the versions to the modules.
func SettleModules(f *parse.Builder) {
	versions := *parse.StateOf[moduleVersions](f)
	for i := range f.Modules {
		m := &f.Modules[i]
		if v, ok := versions[m.Name]; ok {
			m.Version = unit.Known(v)
		} else if versions != nil {
			m.Version = unit.Unknown[string]("this module names none")
		}
	}
	slices.SortStableFunc(f.Modules, func(a, b facts.Module) int { return strings.Compare(a.Name, b.Name) })
}

// moduleVersions are the versions of modules, not yet assigned; nil if they were not queried.
type moduleVersions map[string]string

func versionsOf(f *parse.Builder) moduleVersions {
	v := parse.StateOf[moduleVersions](f)
	if *v == nil {
		*v = moduleVersions{}
	}
	return *v
}
