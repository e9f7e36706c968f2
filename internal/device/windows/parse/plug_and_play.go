package parse

import (
	"linerate/internal/facts/parse"
)

// plugAndPlay has Plug and Play's names: instances and their parents by a device's address, adapters by their names.
type plugAndPlay struct{ instances, parents, adapters map[string]string }

func plugAndPlayOf(f *parse.Builder) *plugAndPlay {
	p := parse.StateOf[plugAndPlay](f)
	if p.instances == nil {
		*p = plugAndPlay{map[string]string{}, map[string]string{}, map[string]string{}}
	}
	return p
}
