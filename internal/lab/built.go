package lab

// Built is what guests are made of, as Build leaves it in the cache.
type Built struct {
	Image BuiltPart `json:"image"`
	// Systems are the images of operating systems that were asked for; their Names hold one each.
	Systems []BuiltPart `json:"systems,omitempty"`
	Modules *BuiltPart  `json:"modules,omitempty"` // nil: none were asked for
	// NoQEMU is why no guest can be started here, with what helps; empty if one can.
	NoQEMU string `json:"no_qemu,omitempty"`
}

// BuiltPart is a folder of the cache.
type BuiltPart struct {
	Folder  string   `json:"folder"`
	Bytes   int64    `json:"bytes"`
	Kernel  string   `json:"kernel"`
	Names   []string `json:"names,omitempty"`  // of modules: siw, smbdirect; of an operating system: systemd
	Absent  []string `json:"absent,omitempty"` // of the image: modules that this kernel does not have as modules
	Built   bool     `json:"built"`            // by this call; else it was there and is whole
	Seconds float64  `json:"seconds"`          // that this call took for it
}
