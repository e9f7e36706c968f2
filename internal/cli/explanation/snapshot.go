package explanation

import (
	"context"
	"path/filepath"

	"linerate/internal/base/diag"
	"linerate/internal/cli"
	"linerate/internal/cli/inspect"
	"linerate/internal/cli/inventory"
	"linerate/internal/facts/read"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// snapshots prints what check finds in a folder of snapshots, in one snapshot, or in a folder with outputs of one host.
func snapshots(ctx context.Context, e *cli.Env, name string, asJSON bool) error {
	if _, _, err := inventory.KeptFiles(name); err == nil {
		return inspect.CheckHosts(ctx, e, inspect.CheckOptions{Snapshots: name, AsJSON: asJSON})
	}
	w := &check.World{}
	host := filepath.Base(filepath.Clean(name))
	text, silent, err := inventory.KeptText(name, host)
	if err == nil {
		if got, err := read.Parse(text); err == nil {
			w.Add(host, got)
		}
	}
	if len(w.Hosts) == 0 {
		a := &cli.Advice{ID: diag.NotRecognised, Text: cli.Clean(name) + ": nothing was recognised",
			Help: []string{"a folder has HOST.txtar, HOST/lspci.txt or lspci.txt; name each file after its command"}}
		for _, u := range silent {
			a.Note = append(a.Note, cli.Clean(u.Subject+": "+u.Reason))
		}
		return cli.Fail(cli.ExitInput, a)
	}
	return inspect.CheckWorld(e, inspect.CheckOptions{AsJSON: asJSON}, w, silent, []record.Unknown{})
}
