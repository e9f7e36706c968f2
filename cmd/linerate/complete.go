package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/design/fabric"
	"linerate/internal/inspect/check"
	"linerate/internal/lab"
	"linerate/internal/lab/fault"
	"linerate/internal/record/runfolder"
)

// completer gives the words that may stand at one place of a command line, each with a tab and a remark behind it, if there is one.
type completer func(c *cobra.Command, args []string) ([]string, cobra.ShellCompDirective)

// complete hooks the words that only this machine knows into the tree: hosts, experiments and variants of a fabric file, runs, labs and parts. It
// reads files and asks nobody.
func (e *env) complete(root *cobra.Command) {
	const whole = cobra.ShellCompDirectiveNoFileComp
	files := func(*cobra.Command, []string) ([]string, cobra.ShellCompDirective) {
		return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	runs := func(*cobra.Command, []string) ([]string, cobra.ShellCompDirective) { return runNames("runs"), 0 } // a folder is named, too
	labs := func(*cobra.Command, []string) ([]string, cobra.ShellCompDirective) { return labIDs(), whole }
	of := func(words func(f *fabric.Fabric) []string) completer {
		return func(c *cobra.Command, args []string) ([]string, cobra.ShellCompDirective) {
			f := e.fabricOf(c, args)
			if f == nil {
				return nil, whole
			}
			return words(f), whole
		}
	}
	experiments := of(func(f *fabric.Fabric) (out []string) {
		for _, x := range f.Experiments {
			if word := x.Name + "\t" + x.Method; !slices.Contains(out, word) {
				out = append(out, word)
			}
		}
		return out
	})
	variants := of(func(f *fabric.Fabric) []string { return f.Variants })
	devices := of(func(f *fabric.Fabric) (out []string) {
		for _, s := range f.Switches {
			out = append(out, s.Name+"\tswitch")
		}
		return append(hostNames(f), out...)
	})

	words := map[string][]completer{ // the words behind a command, in turn; the last again for all further
		"run": {files}, "plan": {files, files}, "config": {files}, "check": {files}, "facts": {files}, "ceiling": {files}, "lab up": {files}, "lab exam": {files},
		"apply": {files, of(hostNames)}, "report": {runs}, "show": {runs}, "explain": {runs}, "whatif": {runs}, "compare": {runs, runs}, "parts": {e.partIDs},
		"lab down": {labs, labs}, "lab exec": {labs}, "lab reboot": {labs}, "lab fault": {files, faultIDs},
	}
	flags := map[string]completer{"variant": variants, "against": variants, "only": experiments, "explain": devices, "lab": labs}
	var hook func(c *cobra.Command)
	hook = func(c *cobra.Command) {
		path := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), root.Name()), " ")
		if of := words[path]; of != nil {
			own := c.ValidArgsFunction // what the command knows itself is offered too
			c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
				var known []string
				if own != nil {
					known, _ = own(c, args, begun)
				}
				if len(args) >= len(of) && len(of) == 1 {
					return known, whole
				}
				got, how := of[min(len(args), len(of)-1)](c, args)
				return slices.DeleteFunc(append(got, known...), func(w string) bool { name, _, _ := strings.Cut(w, "\t"); return slices.Contains(args, name) }), how
			}
		}
		for name, of := range flags {
			f := c.Flags().Lookup(name)
			switch {
			case f == nil || f.Value.Type() == "bool":
				continue
			case path == "check" && name == "only":
				of = checkIDs
			case path == "lab exam" && name == "only":
				of = faultIDs
			case strings.HasPrefix(path, "measure") || path == "whatif" && name == "only":
				continue // flags of another kind, and of a run
			}
			several := f.Value.Type() == "stringSlice"
			_ = c.RegisterFlagCompletionFunc(name, func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
				got, how := of(c, args)
				if several {
					got = behindCommas(got, begun)
				}
				return got, how
			})
		}
		for _, sub := range c.Commands() {
			hook(sub)
		}
	}
	hook(root)
}

// behindCommas are words behind those that stand before the last comma of what is begun, without those.
func behindCommas(words []string, begun string) (out []string) {
	at := strings.LastIndex(begun, ",") + 1
	have := strings.Split(begun[:max(at-1, 0)], ",")
	for _, w := range words {
		if name, _, _ := strings.Cut(w, "\t"); !slices.Contains(have, name) {
			out = append(out, begun[:at]+w)
		}
	}
	return out
}

// fabricOf is the fabric of the words so far, or the one that the command would find; nil: there is none that can be read.
func (e *env) fabricOf(c *cobra.Command, args []string) *fabric.Fabric {
	if len(args) == 0 {
		args = e.withFabric(c, args)
	}
	if len(args) == 0 {
		return nil
	}
	catalog, err := e.catalog(args[0])
	if err != nil {
		return nil
	}
	f, _ := fabric.Load(args[0], fabric.Options{Catalog: catalog})
	return f
}

func hostNames(f *fabric.Fabric) (out []string) {
	for _, h := range f.Hosts {
		out = append(out, h.Name+"\t"+h.OS)
	}
	return out
}

// runNames are the run folders in a folder, the newest first, and latest.
func runNames(folder string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var out []string
	for _, d := range slices.Backward(entries) { // names begin with the date
		for _, file := range []string{runfolder.ManifestName, runfolder.JournalName} {
			if st, err := os.Stat(filepath.Join(folder, d.Name(), file)); err == nil && st.Mode().IsRegular() {
				out = append(out, filepath.Join(folder, d.Name()))
				break
			}
		}
	}
	if len(out) > 0 {
		out = append([]string{"latest"}, out...)
	}
	return out
}

func labIDs() (out []string) {
	all, err := lab.List()
	if err != nil {
		return nil
	}
	for _, l := range all {
		out = append(out, l.ID+"\t"+clean(l.Fabric))
	}
	return out
}

func faultIDs(*cobra.Command, []string) (out []string, _ cobra.ShellCompDirective) {
	for _, f := range fault.All() {
		out = append(out, f.ID+"\t"+f.Title)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func checkIDs(*cobra.Command, []string) (out []string, _ cobra.ShellCompDirective) {
	for _, k := range check.Checks() {
		out = append(out, k.ID+"\t"+k.Title)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (e *env) partIDs(*cobra.Command, []string) (out []string, _ cobra.ShellCompDirective) {
	catalog, err := e.catalog(fabricName)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, p := range catalog.Parts {
		out = append(out, p.ID+"\t"+p.Name)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
