package guest

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
)

// moduleSet is a set of modules that Debian's kernel does not have and that are built from its source on demand.
type moduleSet struct {
	Name  string
	What  string
	Build string   // the folder of the kernel's source that make builds
	Wants []string // folders and files of the source that are unpacked
	// Config are the options for make, which builds the objects; those that are not modules (=y) are also passed to the
	// compiler.
	Config []string
	ASN1   bool // needs asn1_compiler, which the header packages do not have
}

// moduleSetsFormat is raised when the table or the build code changes the result.
const moduleSetsFormat = 1

func moduleSets() []moduleSet {
	return []moduleSet{
		{Name: "siw", What: "soft iWARP", Build: "drivers/infiniband/sw/siw",
			Wants: []string{"drivers/infiniband/sw/siw"}, Config: []string{"CONFIG_RDMA_SIW=m"}},
		{Name: "smbdirect", What: "SMB Direct in cifs and ksmbd", Build: "fs/smb",
			Wants: []string{"fs/smb", "fs/nls", "scripts/asn1_compiler.c", "include/linux/asn1.h",
				"include/linux/asn1_ber_bytecode.h"},
			Config: []string{"CONFIG_CIFS=m", "CONFIG_SMB_SERVER=m", "CONFIG_SMBFS=m", "CONFIG_CIFS_SMB_DIRECT=y",
				"CONFIG_SMB_SERVER_SMBDIRECT=y"},
			ASN1: true},
	}
}

// ModuleNames returns the names of the sets that BuildModules can build.
func ModuleNames() []string {
	return xslices.Map(moduleSets(), func(s moduleSet) string { return s.Name })
}

// ModulesCommand returns the command line that builds a set.
func ModulesCommand(names ...string) string {
	return "linerate lab build --modules " + strings.Join(names, ",")
}

// pickModules returns the sets with these names, in the table's order.
func pickModules(names []string) (out []moduleSet, err error) {
	sets := moduleSets()
	for _, n := range names {
		if !slices.ContainsFunc(sets, func(s moduleSet) bool { return s.Name == n }) {
			var known []string
			for _, s := range sets {
				known = append(known, fmt.Sprintf("%s (%s)", s.Name, s.What))
			}
			return nil, fmt.Errorf("%q is not a set of modules; there are %s", n, strings.Join(known, " and "))
		}
	}
	for _, s := range sets {
		if slices.Contains(names, s.Name) {
			out = append(out, s)
		}
	}
	return out, nil
}

// CheckModules refuses names that are not sets of modules.
func CheckModules(names []string) error {
	_, err := pickModules(names)
	return err
}

// defines returns the options for the compiler, because built-in features change the code.
func (s moduleSet) defines() (out []string) {
	for _, c := range s.Config {
		if name, ok := strings.CutSuffix(c, "=y"); ok {
			out = append(out, "-D"+name+"=1")
		}
	}
	return out
}

// wants reports whether a file of the kernel's source, named below its top, is needed.
func (s moduleSet) wants(name string) bool {
	return slices.ContainsFunc(s.Wants, func(w string) bool { return name == w || strings.HasPrefix(name, w+"/") })
}
