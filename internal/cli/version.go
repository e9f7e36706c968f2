package cli

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/cli/manual"
)

// VersionLine is the output of the command and of the flag version.
func VersionLine() string {
	return fmt.Sprintf("linerate %s (%s, %s/%s)\n", agent.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

type versionJSON struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`

	// of the source; absent: it was built outside of a repository, or without Go's build information
	Commit   string       `json:"commit,omitempty"`
	Time     string       `json:"time,omitempty"`     // of that commit, RFC 3339
	Modified *bool        `json:"modified,omitempty"` // whether files differed from the commit's
	Modules  []moduleJSON `json:"modules,omitempty"`  // linked modules other than its own, by path
}

// moduleJSON is a module as go.sum names it.
type moduleJSON struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum,omitempty"` // h1:.., see https://go.dev/ref/mod#go-sum-files
}

// builtFrom fills in Go's build information.
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

// VersionType is the type of the JSON of linerate version.
func VersionType() reflect.Type { return reflect.TypeFor[versionJSON]() }

// PrintVersion prints the version, as one line or as JSON.
func PrintVersion(e *Env, asJSON bool) error {
	if asJSON {
		v := versionJSON{Schema: "linerate/version/1", Version: agent.Version(), Go: runtime.Version(),
			OS: runtime.GOOS, Arch: runtime.GOARCH}
		if info, ok := debug.ReadBuildInfo(); ok {
			v.builtFrom(info)
		}
		return json.NewEncoder(e.Out).Encode(v)
	}
	_, err := fmt.Fprint(e.Out, VersionLine())
	return err
}

// Exits are the exit codes of the program, for the help, the man pages and the reference.
var Exits = []manual.Exit{
	{Code: ExitDone, When: "done, every goal met"},
	{Code: ExitFailed, When: "the program failed"},
	{Code: ExitInput, When: "the input is wrong"},
	{Code: ExitMissed, When: "goals missed, or plan problems, findings or doctor lines of severity error"},
	{Code: ExitIncomplete, When: "incomplete (a host failed, or an experiment or goal was not run or is not known)"},
	{Code: ExitRefused, When: "refused for safety"},
	{Code: ExitInterrupted, When: "interrupted"},
}

// Variables are the environment variables that set no flag.
var Variables = []manual.Variable{
	{Name: "LINERATE_FABRIC",
		What: "the fabric file where none is named; else it is the fabric.yaml of this folder or the nearest one above"},
	{Name: "LINERATE_SECRET_HOST",
		What: "the secret of HOST, whose connection is tcp; its name in capitals, every other character _"},
	{
		Name: "LINERATE_COMMAND_FLAG",
		What: "for every flag of every command, such as LINERATE_RUN_OUTPUT for linerate run --output: its value where " +
			"the command line does not have it. true or false for one without a value. None for --destroy and those that " +
			"begin with --allow, which are typed",
	},
	{Name: "NO_COLOR", What: "no colours, whatever its value"},
}
