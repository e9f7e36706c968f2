package cli

import (
	"runtime/debug"
	"testing"
)

func TestBuiltFrom(t *testing.T) {
	const revision = "0123456789abcdef0123456789abcdef01234567"
	v := versionJSON{}
	v.builtFrom(&debug.BuildInfo{
		Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: revision},
			{Key: "vcs.time", Value: "2026-11-23T22:43:16Z"},
			{Key: "vcs.modified", Value: "true"},
		},
		Deps: []*debug.Module{
			{Path: "z.org/a", Version: "v1.0.0", Sum: "h1:a="},
			{Path: "b.org/b", Version: "v2.0.0", Replace: &debug.Module{Path: "a.org/c", Version: "v2.0.1"}},
		},
	})
	if v.Commit != revision || v.Time != "2026-11-23T22:43:16Z" || v.Modified == nil || !*v.Modified ||
		len(v.Modules) != 2 || v.Modules[0] != (moduleJSON{"a.org/c", "v2.0.1", ""}) ||
		v.Modules[1] != (moduleJSON{"z.org/a", "v1.0.0", "h1:a="}) {
		t.Errorf("%+v", v)
	}
}
