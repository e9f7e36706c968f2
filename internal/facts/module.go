package facts

import (
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

// Module is a loaded module of the kernel, not one that is built into it.
type Module struct {
	Name    string           `json:"name"`
	Size    unit.Bytes       `json:"size"`
	Users   unit.Opt[int]    `json:"users"`   // modules and others that use it
	UsedBy  []string         `json:"used_by"` // the modules among them
	State   unit.Opt[string] `json:"state"`   // Live, Loading, Unloading
	Taints  string           `json:"taints"`  // "OE": out of tree, unsigned; empty: none
	Version unit.Opt[string] `json:"version"` // its version, which few modules have
}

// Module returns the loaded module of a name, or nil.
func (f *Facts) Module(name string) *Module {
	return xslices.At(f.Modules, func(m *Module) bool { return m.Name == name })
}
