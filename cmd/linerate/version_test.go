package main

import (
	"runtime/debug"
	"testing"
)

func TestVersionOf(t *testing.T) {
	const revision = "0123456789abcdef0123456789abcdef01234567"
	for module, want := range map[string]string{
		"v0.1.0":                               "0.1.0",
		"v0.2.0-rc1":                           "0.2.0-rc1",
		"v2.0.0+incompatible":                  "2.0.0",
		"v0.1.0+dirty":                         "0123456789ab", // not as the tag
		"v0.0.0-20261123224316-0123456789ab":   "0123456789ab",
		"v0.1.1-0.20261123224316-0123456789ab": "0123456789ab",
		"v0.2.0-rc1.0.20261123224316-0123456789ab+dirty": "0123456789ab",
		"(devel)": "0123456789ab",
		"":        "0123456789ab",
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: module}, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: revision}}}
		if got := versionOf(info); got != want {
			t.Errorf("%q: %q, want %q", module, got, want)
		}
	}
	v := versionJSON{}
	v.builtFrom(&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: "2026-11-23T22:43:16Z"}, {Key: "vcs.modified", Value: "true"}},
		Deps: []*debug.Module{{Path: "z.org/a", Version: "v1.0.0", Sum: "h1:a="}, {Path: "b.org/b", Version: "v2.0.0", Replace: &debug.Module{Path: "a.org/c", Version: "v2.0.1"}}}})
	if v.Commit != revision || v.Time != "2026-11-23T22:43:16Z" || v.Modified == nil || !*v.Modified || len(v.Modules) != 2 || v.Modules[0] != (moduleJSON{"a.org/c", "v2.0.1", ""}) || v.Modules[1] != (moduleJSON{"z.org/a", "v1.0.0", "h1:a="}) {
		t.Errorf("%+v", v)
	}
	if got := versionOf(&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}); got != "source" {
		t.Errorf("without a revision: %q", got)
	}
}
