package lab

import (
	"context"
	"time"

	"linerate/guest"
)

// Build makes the guests' image and, of names that are not empty, the modules that Debian leaves out, where the cache does not
// have them. A guest.LackError says what is missing. Say, if not nil, is told what takes long.
func Build(ctx context.Context, modules []string, say func(string)) (b Built, err error) {
	if say == nil {
		say = func(string) {}
	}
	if err := guest.CheckModules(modules); err != nil {
		return b, err
	}
	if err := guest.Fits(); err != nil {
		return b, err
	}
	start := time.Now()
	i, err := guest.Ensure(ctx, "", func(s string) { say("guest image: " + s) })
	if err != nil {
		return b, err
	}
	b.Image = BuiltPart{Folder: i.Folder(), Bytes: int64(i.Bytes()), Kernel: i.Version, Absent: i.Absent, Built: i.Built > 0, Seconds: time.Since(start).Seconds()}
	if _, err := guest.FindHost(); err != nil {
		b.NoQEMU = err.Error()
	}
	if len(modules) == 0 {
		return b, nil
	}
	start = time.Now()
	m, err := guest.BuildModules(ctx, i, modules, func(s string) { say("guest modules: " + s) })
	if err != nil {
		return b, err
	}
	b.Modules = &BuiltPart{Folder: m.Folder, Bytes: int64(m.Bytes), Kernel: i.Version, Names: m.Names, Built: m.Built > 0, Seconds: time.Since(start).Seconds()}
	return b, nil
}
