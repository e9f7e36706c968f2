package config

import (
	"testing"

	"linerate/internal/config/device"
)

// An id of a document stands for one document, whichever family names it.
func TestSources(t *testing.T) {
	of := map[device.Source]string{}
	for _, f := range append(families, infiniBand, family{name: "all families", sources: device.Sources}) {
		if len(f.sources) == 0 {
			t.Errorf("%s has no documents", f.name)
		}
		for id, text := range f.sources {
			if other, ok := of[id]; ok && other != text {
				t.Errorf("%s: %q is %q, and %q elsewhere", f.name, id, text, other)
			}
			of[id] = text
		}
	}
}
