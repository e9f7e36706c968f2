package parts

import (
	"sync"

	"go.yaml.in/yaml/v4"
)

// catalogSources are the sources of the embedded catalogue, without its parts.
var catalogSources = sync.OnceValue(func() map[SourceID]Source {
	var f file
	text, err := files.ReadFile("catalog/sources.yaml")
	if err != nil || yaml.Load(text, &f) != nil {
		return nil // Load says so
	}
	return f.Sources
})

// SourceOf returns what stands behind the id of one of the catalogue's sources; false for one of the user's own.
func SourceOf(id SourceID) (Source, bool) {
	s, ok := catalogSources()[id]
	return s, ok
}
