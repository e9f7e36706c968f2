package settings

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/device/render"
	"linerate/internal/record"
)

// PrintProblems prints the plan's errors, and refuses to render an invalid plan.
func PrintProblems(e *cli.Env, p *plan.Plan) error {
	found := false
	for _, x := range p.Problems {
		if x.Severity != record.Error {
			continue
		}
		if !found {
			fmt.Fprintf(e.Err, "the plan has errors; nothing was rendered\n")
		}
		found = true
		fmt.Fprintf(e.Err, "error: %s: %s (%s)\n", config.Plain(x.Subject), config.Plain(x.Message), x.ID)
		if x.Fix != "" {
			fmt.Fprintf(e.Err, "  fix: %s\n", config.Plain(x.Fix))
		}
	}
	if found {
		return cli.Fail(cli.ExitMissed, nil)
	}
	return nil
}

// Explain prints the reason of each setting.
func Explain(e *cli.Env, s *render.Set, name string) error {
	d := s.Device(name)
	if d == nil {
		for _, r := range s.Refused {
			if strings.Contains(r, " "+name+":") || strings.HasPrefix(r, name+":") {
				return cli.Fail(cli.ExitIncomplete, fmt.Errorf("%s", r))
			}
		}
		return cli.Fail(cli.ExitInput, cli.UnknownName("--explain", "host or switch", name, s.Names()))
	}
	for _, line := range render.Explain(d) {
		fmt.Fprintln(e.Out, line)
	}
	return nil
}

// Write writes the files that configure hosts.
func Write(e *cli.Env, s *render.Set, dir string) error {
	if dir != "" {
		if err := s.Write(dir); err != nil {
			if errors.Is(err, render.ErrOtherFiles) {
				return cli.Fail(cli.ExitRefused, &cli.Advice{ID: diag.OutputRefused,
					Text: dir + " has files that linerate config did not write", Help: []string{"name another folder with -o"},
					Note: []string{"the folder would be replaced, and these files lost"}})
			}
			return err
		}
	}
	var rows [][]string
	for _, d := range s.Devices {
		rows = append(rows, []string{d.Name, d.Family, config.Plain(d.What), strings.Join(scripts(&d), " ")})
	}
	for _, line := range config.Columns(rows) {
		fmt.Fprintln(e.Out, line)
	}
	for _, n := range notes(s.Devices) {
		fmt.Fprintf(e.Out, "  %s: %s\n", together(n.devices), n.text)
	}
	for _, r := range s.Refused {
		fmt.Fprintf(e.Err, "not rendered: %s\n", config.Plain(r))
	}
	if dir == "" {
		fmt.Fprintln(e.Out, "\nnothing was written; -o DIR writes these files")
		return nil
	}
	fmt.Fprintf(e.Out,
		"\nwritten to %s; README.md there says the order of the work, each folder's own what to do on that device\n", dir)
	for _, g := range s.Groups {
		fmt.Fprintf(e.Out, "%s: one README for %d equal hosts, %s\n", filepath.Join(dir, g.Readme.Name), len(g.Hosts),
			together(g.Hosts))
	}
	return nil
}

// note is a missing or unverified part, with the devices that share it.
type note struct {
	text    string
	devices []string
}

// notes are those of all devices in their order, each once: 32 equal machines have one line.
func notes(devices []config.Device) (out []note) {
	at := map[string]int{}
	for _, d := range devices {
		for _, m := range slices.Concat(d.Missing, d.Unverified) {
			text := config.Plain(m)
			i, known := at[text]
			if !known {
				i = len(out)
				at[text], out = i, append(out, note{text: text})
			}
			out[i].devices = xslices.AppendNew(out[i].devices, d.Name)
		}
	}
	return out
}

// together joins several names, the first and the last of many.
func together(names []string) string {
	if len(names) > 4 {
		return fmt.Sprintf("%s .. %s (%d devices)", names[0], names[len(names)-1], len(names))
	}
	return strings.Join(names, ", ")
}

// scripts are the files of a device for a user to run or paste; files that are only installed are in its README.
func scripts(d *config.Device) []string {
	var out []string
	for i := range d.Files {
		if f := &d.Files[i]; f.Path == "" && f.Name != "README.md" {
			out = append(out, f.Name)
		}
	}
	return out
}
