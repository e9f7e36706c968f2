package completion

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/inspect/check/checks"

	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/design/fabric"
	"linerate/internal/lab"
	"linerate/internal/lab/fault"
	"linerate/internal/record/runfolder"
)

// completer returns the words for one place of a command line, each with an optional tab and description.
type completer func(c *cobra.Command, args []string) ([]string, cobra.ShellCompDirective)

// Complete adds words that depend on this machine to the completion of the commands: hosts, experiments and variants of
// a fabric file, runs, labs and parts. It only reads files.
func Complete(e *cli.Env, root *cobra.Command) {
	const whole = cobra.ShellCompDirectiveNoFileComp
	files := func(*cobra.Command, []string) ([]string, cobra.ShellCompDirective) {
		return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	// the file system completes other folders
	runs := func(*cobra.Command, []string) ([]string, cobra.ShellCompDirective) { return runNames("runs"), 0 }
	labs := func(*cobra.Command, []string) ([]string, cobra.ShellCompDirective) { return labIDs(), whole }
	of := func(words func(f *fabric.Fabric) []string) completer {
		return func(c *cobra.Command, args []string) ([]string, cobra.ShellCompDirective) {
			f := e.FabricOf(c, args)
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

	words := map[string][]completer{ // completers of a command's arguments in order; the last one repeats
		"run":        {files},
		"plan":       {files, files},
		"config":     {files},
		"check":      {files},
		"facts":      {files},
		"ceiling":    {files},
		"lab up":     {files},
		"lab exam":   {files},
		"apply":      {files, of(hostNames)},
		"report":     {runs},
		"share":      {runs},
		"explain":    {runs},
		"whatif":     {runs},
		"compare":    {runs, runs},
		"parts":      {partIDs(e)},
		"lab down":   {labs, labs},
		"lab exec":   {labs},
		"lab reboot": {labs},
		"lab fault":  {files, faultIDs},
	}
	flags := map[string]completer{"variant": variants, "compare-with": variants, "experiments": experiments,
		"experiment": experiments, "checks": checkIDs, "faults": faultIDs, "explain": devices, "in-lab": labs}
	var hook func(c *cobra.Command)
	hook = func(c *cobra.Command) {
		path := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), root.Name()), " ")
		if of := words[path]; of != nil {
			own := c.ValidArgsFunction // what the command completes itself is offered, too
			c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
				var known []string
				if own != nil {
					known, _ = own(c, args, begun)
				}
				if len(args) >= len(of) && len(of) == 1 {
					return known, whole
				}
				got, how := of[min(len(args), len(of)-1)](c, args)
				return slices.DeleteFunc(append(got, known...),
					func(w string) bool { name, _, _ := strings.Cut(w, "\t"); return slices.Contains(args, name) }), how
			}
		}
		for name, of := range flags {
			f := c.Flags().Lookup(name)
			switch {
			case f == nil || f.Value.Type() == "bool":
				continue
			case strings.HasPrefix(path, "measure") || path == "whatif" && name == "experiment":
				continue // flags of another kind, and of a run
			}
			several := f.Value.Type() == "stringSlice"
			_ = c.RegisterFlagCompletionFunc(name,
				func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
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

// behindCommas completes a comma-separated list: it prefixes words with the complete items of begun, and leaves those
// out.
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

func hostNames(f *fabric.Fabric) []string {
	return xslices.Map(f.Hosts, func(h *fabric.Host) string { return h.Name + "\t" + h.OS })
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
		out = append(out, l.ID+"\t"+cli.Clean(l.Fabric))
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
	for _, k := range checks.All() {
		out = append(out, k.ID+"\t"+k.Title)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func partIDs(e *cli.Env) completer {
	return func(*cobra.Command, []string) (out []string, _ cobra.ShellCompDirective) {
		catalog, err := e.Catalog(cli.FabricName)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, p := range catalog.Parts {
			out = append(out, p.ID+"\t"+p.Name)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
