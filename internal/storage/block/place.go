package block

import "os"

// Place is where an open file or folder lies, as far as the system tells: its file system, the mount point, what is mounted there, and the devices whose counters belong to it.
type Place struct {
	FileSystem string   `json:"file_system,omitempty"`
	Mount      string   `json:"mount,omitempty"`
	Source     string   `json:"source,omitempty"`
	Devices    []string `json:"devices,omitempty"` // by the kernel's names; empty: not known
}

// PlaceOf asks the system for the place of an open file or folder.
func PlaceOf(f *os.File) Place {
	r := Ready{Kind: KindFile}
	where(f, &r)
	return Place{FileSystem: r.FileSystem, Mount: r.Mount, Source: r.Source, Devices: r.Devices}
}
