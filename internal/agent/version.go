package agent

import (
	"regexp"
	"runtime/debug"
)

// taggedVersion is what Go makes of a tag (https://go.dev/ref/mod#versions). What it makes up for other commits has another
// hyphen (https://go.dev/ref/mod#pseudo-versions), and a tree that is not as the commit has +dirty behind it: neither is a release.
var taggedVersion = regexp.MustCompile(`^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)(?:\+incompatible)?$`)

// Version is this program's own, the same wherever it is said: the release, else the commit that it was built from, else "source".
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
