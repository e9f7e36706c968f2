package agent

import (
	"regexp"
	"runtime/debug"
)

// taggedVersion matches Go's version of a tagged commit (https://go.dev/ref/mod#versions). The version of another
// commit has another hyphen (https://go.dev/ref/mod#pseudo-versions), and that of a changed tree ends in +dirty:
// neither is a release.
var taggedVersion = regexp.MustCompile(`^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)(?:\+incompatible)?$`)

// Version is this program's version: the release, else the commit that it was built from, else "source".
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return versionOf(info)
	}
	return "source"
}

func versionOf(info *debug.BuildInfo) string {
	if m := taggedVersion.FindStringSubmatch(info.Main.Version); m != nil {
		return m[1]
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return "source"
}
