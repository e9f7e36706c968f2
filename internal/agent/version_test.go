package agent

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
		info := &debug.BuildInfo{Main: debug.Module{Version: module},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: revision}}}
		if got := versionOf(info); got != want {
			t.Errorf("%q: %q, want %q", module, got, want)
		}
	}
	if got := versionOf(&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}); got != "source" {
		t.Errorf("without a revision: %q", got)
	}
}
