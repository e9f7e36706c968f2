package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/config"
	"linerate/internal/config/device"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

func (e *env) configCommand() *cobra.Command {
	var variant, dir, explain string
	var asJSON bool
	c := &cobra.Command{
		Use:   "config FABRIC.yaml",
		Short: "Files that make every host and switch follow the plan, verify it, and take it back",
		Long: `Writes one folder a device: apply, verify, undo, the files that outlive a reboot, and a README with the order and with
what is interrupted; and a README of the whole, from the labels to the test of each link. Nothing is changed on any device. Without -o the files are listed and not written.

What a device cannot do stands in the plan's problems; with one of severity error nothing is written (exit code 3).
A device without documented commands is left out and named (exit code 4).`,
		Example: `  linerate config examples/mesh-10g.yaml -o mesh-config
  linerate config examples/roce-100g.yaml --explain crs504
  linerate config examples/nas-40g.yaml --json`,
		Args:        cobra.ExactArgs(1),
		Annotations: map[string]string{findsFabric: "yes"},
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := e.load(args[0], variant)
			if err != nil {
				return err
			}
			if err := e.configProblems(p); err != nil {
				return err
			}
			s := config.Render(p)
			switch {
			case asJSON:
				err = s.JSON(e.out)
			case explain != "":
				return e.explainDevice(s, explain)
			default:
				err = e.writeConfig(s, dir)
			}
			if err == nil && len(s.Refused) > 0 {
				return fail(exitIncomplete, nil)
			}
			return err
		},
	}
	c.Flags().StringVar(&variant, "variant", "", "merge a variant of the file into it; several with +")
	c.Flags().StringVarP(&dir, "output", "o", "", "folder that the devices' folders are written into; one that linerate wrote is replaced")
	c.Flags().StringVar(&explain, "explain", "", "say line by line why it is there and where its form is documented, of this host or switch")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object with every line, its reason and source")
	c.MarkFlagsMutuallyExclusive("json", "explain", "output")
	return c
}

// configProblems prints the plan's errors, and refuses to render what would not work.
func (e *env) configProblems(p *plan.Plan) error {
	found := false
	for _, x := range p.Problems {
		if x.Severity != record.Error {
			continue
		}
		if !found {
			fmt.Fprintf(e.err, "the plan has errors; nothing was rendered\n")
		}
		found = true
		fmt.Fprintf(e.err, "error: %s: %s (%s)\n", device.Plain(x.Subject), device.Plain(x.Message), x.ID)
		if x.Fix != "" {
			fmt.Fprintf(e.err, "  fix: %s\n", device.Plain(x.Fix))
		}
	}
	if found {
		return fail(exitMissed, nil)
	}
	return nil
}

func (e *env) explainDevice(s *config.Set, name string) error {
	d := s.Device(name)
	if d == nil {
		for _, r := range s.Refused {
			if strings.Contains(r, " "+name+":") || strings.HasPrefix(r, name+":") {
				return fail(exitIncomplete, fmt.Errorf("%s", r))
			}
		}
		near := fabric.Nearest(name, s.Names())
		hint := "the fabric has " + strings.Join(s.Names(), ", ")
		if near != "" {
			hint = "did you mean " + near + "?"
		}
		return fail(exitInput, fmt.Errorf("--explain %s: no host or switch has that name; %s", name, hint))
	}
	for _, line := range config.Explain(d) {
		fmt.Fprintln(e.out, line)
	}
	return nil
}

func (e *env) writeConfig(s *config.Set, dir string) error {
	if dir != "" {
		if err := s.Write(dir); err != nil {
			return err
		}
	}
	var rows [][]string
	for _, d := range s.Devices {
		rows = append(rows, []string{d.Name, d.Family, device.Plain(d.What), strings.Join(scripts(&d), " ")})
	}
	for _, line := range device.Columns(rows) {
		fmt.Fprintln(e.out, line)
	}
	for _, n := range notes(s.Devices) {
		fmt.Fprintf(e.out, "  %s: %s\n", together(n.devices), n.text)
	}
	for _, r := range s.Refused {
		fmt.Fprintf(e.err, "not rendered: %s\n", device.Plain(r))
	}
	if dir == "" {
		fmt.Fprintln(e.out, "\nnothing was written; -o DIR writes these files")
		return nil
	}
	fmt.Fprintf(e.out, "\nwritten to %s; README.md there says the order of the work, each folder's own what to do on that device\n", dir)
	return nil
}

// A note is what is missing or was not verified of the devices that have it in the same words.
type note struct {
	text    string
	devices []string
}

// notes are those of all devices in their order, each said once: 32 machines alike have one line.
func notes(devices []device.Device) (out []note) {
	at := map[string]int{}
	for _, d := range devices {
		for _, m := range slices.Concat(d.Missing, d.Unverified) {
			text := device.Plain(m)
			i, known := at[text]
			if !known {
				i = len(out)
				at[text], out = i, append(out, note{text: text})
			}
			if !slices.Contains(out[i].devices, d.Name) {
				out[i].devices = append(out[i].devices, d.Name)
			}
		}
	}
	return out
}

// together are several names as one text, the first and the last of many.
func together(names []string) string {
	if len(names) > 4 {
		return fmt.Sprintf("%s .. %s (%d devices)", names[0], names[len(names)-1], len(names))
	}
	return strings.Join(names, ", ")
}

// scripts are the files of a device that a person runs or pastes; those that are only installed stand in its README.
func scripts(d *device.Device) []string {
	var out []string
	for i := range d.Files {
		if f := &d.Files[i]; f.Path == "" && f.Name != "README.md" {
			out = append(out, f.Name)
		}
	}
	return out
}
