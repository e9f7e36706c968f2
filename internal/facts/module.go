package facts

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// Module is a loaded module of the kernel. What is built into the kernel is none.
type Module struct {
	Name    string
	Size    unit.Bytes
	Users   unit.Opt[int]    // modules and others that hold it
	UsedBy  []string         // the modules among them
	State   unit.Opt[string] // Live, Loading, Unloading
	Taints  string           // "OE": out of tree, unsigned; empty if it taints nothing
	Version unit.Opt[string] // its own, which few modules have
}

// Module returns the loaded module of that name, or nil.
func (f *Facts) Module(name string) *Module {
	for i := range f.Modules {
		if f.Modules[i].Name == name {
			return &f.Modules[i]
		}
	}
	return nil
}

// parseModules reads /proc/modules, and lsmod, which leaves the last columns out.
// Format: https://man7.org/linux/man-pages/man5/proc_modules.5.html; a user of the
// module that is not another one stands in brackets, and "-" is nothing.
//
//	ib_uverbs 192512 2 rdma_rxe,rdma_ucm, Live 0x0000000000000000
//	nvidia_peermem 16384 0 - Live 0x0000000000000000 (OE)
func parseModules(text []byte) ([]Module, error) {
	list := []Module{}
	var damage error
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || len(list) == 0 && words[0] == "Module" {
			continue
		}
		m, err := parseModule(words)
		if err != nil {
			damage = partial{err}
			continue
		}
		list = append(list, m)
	}
	if len(list) == 0 && damage != nil {
		return nil, toolError(text)
	}
	return list, damage
}

func parseModule(words []string) (m Module, err error) {
	if len(words) < 3 {
		return m, fmt.Errorf("module %.40s has %d columns; name, size and users are the least", words[0], len(words))
	}
	size, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil || size < 0 {
		return m, fmt.Errorf("module %.40s: %.40q is no size", words[0], words[1])
	}
	m = Module{Name: words[0], Size: unit.Bytes(size), Version: unit.Unknown[string]("only /proc/modules was read, which has no versions")}
	switch n, err := strconv.Atoi(words[2]); {
	case err == nil && n >= 0:
		m.Users = known(n)
	case words[2] == "-":
		m.Users = unit.Unknown[int]("this kernel unloads no modules and does not count their users")
	default: // -1 while it is being unloaded
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
		m.State = known(words[4])
	}
	if len(words) > 6 {
		m.Taints = strings.Trim(words[6], "()")
	}
	return m, nil
}

// keepModules hides where the kernel has put its modules, as it does itself from
// everybody but root: a capture may be shown to others.
func keepModules(text []byte) []byte {
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

// versionsSource is the source of the versions of all modules. It has a line for
// each that has one.
const versionsSource = "grep . /sys/module/*/version"

// readVersions reads what versionsSource prints.
//
//	/sys/module/mlx5_core/version:24.10-1.1.4
func readVersions(f *Facts, _ []string, text []byte) error {
	if f.versions == nil {
		f.versions = map[string]string{}
	}
	for line := range strings.Lines(string(text)) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), ":")
		if args, ok := match("sys/module/*/version", strings.TrimPrefix(path, "/")); ok && version != "" {
			f.versions[args[0]] = version
		} else if path != "" {
			return partial{errors.New("it has lines that are not /sys/module/NAME/version:VERSION")}
		}
	}
	return nil
}

func putModuleVersion(f *Facts, args []string, v string) {
	if f.versions == nil {
		f.versions = map[string]string{}
	}
	f.versions[args[0]] = v
}

// settleModules gives the modules their versions.
func settleModules(f *Facts) {
	for i := range f.Modules {
		m := &f.Modules[i]
		if v, ok := f.versions[m.Name]; ok {
			m.Version = known(v)
		} else if f.versions != nil {
			m.Version = unit.Unknown[string]("this module names none")
		}
	}
	slices.SortStableFunc(f.Modules, func(a, b Module) int { return strings.Compare(a.Name, b.Name) })
	f.versions = nil
}
