package lab

import (
	"context"
	"time"

	"linerate/internal/lab/guest"
)

// Build makes the guests' image, the images of these operating systems, and these modules that Debian's kernel does not
// have, where they are not in the cache. A guest.MissingError says what is missing. say, if not nil, is called with
// progress messages.
func Build(ctx context.Context, systems, modules []string, say func(string)) (b Built, err error) {
	if say == nil {
		say = func(string) {}
	}
	if err := guest.CheckModules(modules); err != nil {
		return b, err
	}
	if err := guest.CheckKinds(systems); err != nil {
		return b, err
	}
	if err := guest.Fits(); err != nil {
		return b, err
	}
	i, part, err := buildImage(ctx, guest.Small, say)
	if err != nil {
		return b, err
	}
	b.Image = part
	for _, name := range systems {
		_, part, err := buildImage(ctx, guest.Kind(name), say)
		if err != nil {
			return b, err
		}
		part.Names = []string{name}
		b.Systems = append(b.Systems, part)
	}
	if _, err := guest.FindHost(); err != nil {
		b.NoQEMU = err.Error()
	}
	if len(modules) == 0 {
		return b, nil
	}
	start := time.Now()
	m, err := guest.BuildModules(ctx, i, modules, func(s string) { say("guest modules: " + s) })
	if err != nil {
		return b, err
	}
	b.Modules = &BuiltPart{Folder: m.Folder, Bytes: int64(m.Bytes), Kernel: i.Version, Names: m.Names,
		Built: m.Built > 0, Seconds: time.Since(start).Seconds()}
	return b, nil
}

func buildImage(ctx context.Context, kind guest.Kind, say func(string)) (guest.Image, BuiltPart, error) {
	start := time.Now()
	i, err := guest.Ensure(ctx, "", kind, func(s string) { say(imageWords(kind) + ": " + s) })
	return i, BuiltPart{Folder: i.Folder(), Bytes: int64(i.Bytes()), Kernel: i.Version, Absent: i.Absent,
		Built: i.Built > 0, Seconds: time.Since(start).Seconds()}, err
}

// imageWords returns the name of an image in messages.
func imageWords(kind guest.Kind) string {
	if kind == guest.Small {
		return "guest image"
	}
	return "guest image " + string(kind)
}
