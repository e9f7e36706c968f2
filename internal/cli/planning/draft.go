package planning

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"golang.org/x/term"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/survey"
	"linerate/internal/report/format"
)

// DraftFlags are the flags of the command init.
type DraftFlags struct {
	Output, Name, AgentFile string
	Yes, Others, AsJSON     bool
}

// DraftFabric writes a fabric file from what hosts report.
func DraftFabric(ctx context.Context, e *cli.Env, hosts []string, f DraftFlags) error {
	if _, err := os.Lstat(f.Output); err == nil {
		return cli.Fail(cli.ExitInput,
			&cli.Advice{ID: diag.OutputExists, Text: f.Output + " exists, and init overwrites no file",
				Help: []string{"remove it, or name another file with -o"}})
	}
	if st, err := os.Stat(filepath.Dir(f.Output)); err != nil || !st.IsDir() {
		return cli.Fail(cli.ExitInput, fmt.Errorf("-o %s: there is no folder %s", f.Output, filepath.Dir(f.Output)))
	}
	if !f.Others {
		hosts = append([]string{"local"}, hosts...)
	}
	l := &inventory.Looker{AgentFile: f.AgentFile}
	defer l.Close()
	if err := l.Read("init", hosts); err != nil {
		return err
	}
	if len(l.Ends.From) < 2 {
		return cli.Fail(cli.ExitInput,
			errors.New("a fabric has two machines at least: name another one, or leave --others out"))
	}
	machines, err := l.Look(ctx)
	if err != nil {
		return err
	}
	l.Rename(machines)
	catalog, err := e.Catalog(f.Output)
	if err != nil {
		return err
	}
	names := xslices.Map(machines, func(m survey.Machine) string { return m.Name })
	if f.Name == "" {
		f.Name = strings.Join(names[:min(len(names), 3)], "-")
	}
	d, err := inventory.Draft(f.Name, machines, catalog)
	if err != nil {
		return err
	}
	if in, ok := e.In.(*os.File); ok && !f.Yes && !f.AsJSON && term.IsTerminal(int(in.Fd())) {
		if err := askCables(ctx, e, d); err != nil {
			return err
		}
	}
	text, read, sampled, err := draftedFile(f.Output, d, catalog, time.Now())
	if err != nil {
		return err
	}
	if err := cli.WriteNew(f.Output, WithSchema(f.Output, text)); err != nil {
		return err
	}
	p := plan.Build(read)
	if f.AsJSON {
		return e.PrintObject("init", initJSON{f.Output, d.Name, drafted(d), linkNames(p), append([]string{}, d.Unknown...)})
	}
	fmt.Fprintf(e.Out, "%s: %s, %s\n", cli.Clean(f.Output), unit.Counted(len(p.Hosts), "host"),
		unit.Counted(len(p.Links), "link"))
	for _, n := range d.Nets {
		fmt.Fprintf(e.Out, "  %s\n", cli.Clean(n.String()))
	}
	for _, u := range d.Unknown {
		fmt.Fprintf(e.Out, "  not known: %s\n", cli.Clean(u))
	}
	inventory.PrintIdle(e.Out, "  ", d)
	if sampled != "" {
		fmt.Fprintf(e.Out, "  %s\n", cli.Clean(sampled))
	}
	words := format.Command([]string{f.Output})
	fmt.Fprintf(e.Out, "next: linerate check %s\n      linerate run %s\n", words, words)
	return nil
}

// askCables asks the user about each network of two machines with nothing known in between, whether it is one cable.
// Without an answer nothing must be written.
func askCables(ctx context.Context, e *cli.Env, d *survey.Draft) error {
	const unanswered = "nothing was written; linerate init --yes asks nothing, and takes two machines that hear no " +
		"neighbour " +
		"else for one cable"
	lines := make(chan string)
	ended, done := make(chan struct{}), make(chan struct{})
	defer close(done)
	go func() { // a read of a terminal cannot be cancelled: it is abandoned
		defer close(ended)
		in := bufio.NewReader(e.In)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			select {
			case lines <- line:
			case <-done:
				return
			}
		}
	}()
	for _, n := range d.Nets {
		if n.Switch != "" || n.Heard {
			continue
		}
		for answered := false; !answered; {
			fmt.Fprintf(e.Err, "%s: no other host was heard there. Is a switch between them? [y/N] ", cli.Clean(n.Between()))
			select {
			case <-ctx.Done():
				fmt.Fprintln(e.Err)
				return cli.Fail(cli.ExitInterrupted, errors.New("interrupted; "+unanswered))
			case <-ended:
				fmt.Fprintln(e.Err)
				return cli.Fail(cli.ExitInput, errors.New("the question has no answer; "+unanswered))
			case line := <-lines:
				switch strings.ToLower(strings.TrimSpace(line)) {
				case "y", "yes":
					d.Through(n, "as was answered")
					answered = true
				case "", "n", "no":
					answered = true
				default:
					fmt.Fprintln(e.Err, "  y or n; nothing is n: one cable joins them")
				}
			}
		}
	}
	return nil
}

// drafted are the names of the hosts in the file.
func drafted(d *survey.Draft) []string {
	return xslices.Map(d.Hosts, func(h *survey.Host) string { return h.Name })
}

func linkNames(p *plan.Plan) []string {
	out := []string{}
	for _, l := range p.Links {
		out = append(out, l.Name)
	}
	return out
}

// initJSON is the JSON of init.
type initJSON struct {
	File    string   `json:"file"`
	Fabric  string   `json:"fabric"` // its name
	Hosts   []string `json:"hosts"`
	Links   []string `json:"links"`
	Unknown []string `json:"unknown"` // what was not found, and why
}

// DraftType is the type of the JSON of linerate init.
func DraftType() reflect.Type {
	return reflect.TypeFor[initJSON]()
}
