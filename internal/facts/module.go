package facts

import (
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

// Module is a loaded module of the kernel, not one that is built into it.
type Module struct {
	Name    string
	Size    unit.Bytes
	Users   unit.Opt[int]    // modules and others that use it
	UsedBy  []string         // the modules among them
	State   unit.Opt[string] // Live, Loading, Unloading
	Taints  string           // "OE": out of tree, unsigned; empty: none
	Version unit.Opt[string] // its version, which few modules have
}

// Module returns the loaded module of a name, or nil.
func (f *Facts) Module(name string) *Module {
	return xslices.At(f.Modules, func(m *Module) bool { return m.Name == name })
}
