package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/agent"
)

// version is the program's own: the release, else the commit that it was built
// from, else "source". Agents say the same.
func version() string { return agent.Version() }

// versionLine is what the verb and the flag of that name print.
func versionLine() string {
	return fmt.Sprintf("linerate %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

type versionJSON struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`

	Commit   string       `json:"commit,omitempty"`   // that it was built from; absent: from no repository, or without what Go knows of it
	Time     string       `json:"time,omitempty"`     // of that commit, RFC 3339
	Modified *bool        `json:"modified,omitempty"` // whether its files were others than the commit's
	Modules  []moduleJSON `json:"modules,omitempty"`  // that are in the program beside its own, by path
}

// moduleJSON is a module as go.sum names it.
type moduleJSON struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum,omitempty"` // h1:.., see https://go.dev/ref/mod#go-sum-files
}

// builtFrom fills in what Go wrote into the program about where it comes from.
func (v *versionJSON) builtFrom(info *debug.BuildInfo) {
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			modified := s.Value == "true"
			v.Modified = &modified
		}
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		v.Modules = append(v.Modules, moduleJSON{m.Path, m.Version, m.Sum})
	}
	slices.SortFunc(v.Modules, func(a, b moduleJSON) int { return strings.Compare(a.Path, b.Path) })
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
				v := versionJSON{Schema: "linerate/version/1", Version: version(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
				if info, ok := debug.ReadBuildInfo(); ok {
					v.builtFrom(info)
				}
				return json.NewEncoder(e.out).Encode(v)
			}
			_, err := fmt.Fprint(e.out, versionLine())
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
