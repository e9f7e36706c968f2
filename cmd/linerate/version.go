package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// taggedVersion is what Go makes of a tag (https://go.dev/ref/mod#versions). What it makes up for other commits has another
// hyphen (https://go.dev/ref/mod#pseudo-versions), and a tree that is not as the commit has +dirty behind it: neither is a release.
var taggedVersion = regexp.MustCompile(`^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)(?:\+incompatible)?$`)

// version is the program's own: the release, else the commit that it was built
// from, else "source".
func version() string {
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

type versionJSON struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func (e *env) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the program's version",
		Example: "  linerate version\n  linerate version --json   also what it was built from",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return json.NewEncoder(e.out).Encode(versionJSON{"linerate/version/1", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH})
			}
			fmt.Fprintf(e.out, "linerate %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
