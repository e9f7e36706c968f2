package measure

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/cli/setting"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/run/command"
	"linerate/internal/run/experiment"
)

// CommandFlags are the flags of measure command; those that it shares with others are in Flags.
type CommandFlags struct {
	Flags
	Hosts        []string // arguments, each a host for ssh
	Command      []string // after --
	Figure, Unit string
	Files        []string
}

// CheckCommand parses a command line of measure command, before any host is queried. It reports all errors together.
func CheckCommand(e *cli.Env, f *CommandFlags) (*fabric.Experiment, inventory.Ends, error) {
	wrong := &e.Errors
	x := f.experiment(wrong)
	at, err := f.Ends(f.serves(), wrong)
	wrong.Add(err)
	if x.On = at.From; f.serves() {
		x.On, x.From, x.To = nil, at.From, at.To
	}
	f.checkKept(wrong)
	endSecrets(e, at)
	return x, at, wrong.Err()
}

// serves reports whether the experiment has a server on a host of its own.
func (f *CommandFlags) serves() bool {
	apps := f.Settings.Texts("app")
	return f.Settings.Text("server") != "" ||
		len(apps) > 0 && !slices.ContainsFunc(apps, func(name string) bool { return !command.HasServer(name) })
}

// Ends are the hosts: all that were named, or the two of a command and its server.
func (f *CommandFlags) Ends(serves bool, wrong *cli.Errors) (inventory.Ends, error) {
	one := Flags{From: f.From, To: f.To}
	var named []string
	for _, words := range f.Hosts {
		for _, host := range SplitHosts(words) {
			named = append(named, inventory.Connection(host))
		}
	}
	if len(named) > 0 && len(f.From)+len(f.To) > 0 {
		wrong.Add(
			cli.Advise(fmt.Errorf("%s: hosts are named twice, here and by --from and --to", strings.Join(f.Hosts, " ")),
				"omit one"))
		return inventory.Ends{}, nil
	}
	one.From = append(one.From, named...)
	all, err := inventory.Expanded("from", one.From)
	if err != nil {
		return inventory.Ends{}, err
	}
	switch {
	case !serves && len(f.To) > 0:
		return inventory.Ends{}, cli.Advise(errors.New("--to: it is the host of a server, and there is none"),
			`write --server "PROGRAM ARGUMENTS", or name all hosts with --from`)
	case !serves && len(all) == 0:
		all = []string{"local"}
	case serves && len(f.To) == 0 && len(all) == 0:
		return inventory.Ends{}, cli.Advise(errors.New("the server needs a host"),
			`write linerate measure command HOST, or --to "ssh HOST"`)
	case serves && len(f.To) == 0:
		one.To, all = all[len(all)-1:], all[:len(all)-1]
	}
	if serves && (len(all) > 1 || len(one.To) > 1) {
		return inventory.Ends{}, cli.Advise(errors.New("a command and its server are on two hosts"),
			"name one or two")
	}
	one.From = all
	if serves {
		return one.Ends()
	}
	one.eachOnce = true
	return one.Ends()
}

// SplitHosts splits at commas outside of brackets: n[1,3],m.
func SplitHosts(text string) (out []string) {
	depth, from := 0, 0
	for i, r := range text {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == ',' && depth == 0:
			out, from = append(out, text[from:i]), i+1
		}
	}
	return append(out, text[from:])
}

// experiment turns the flags into an experiment as in a file.
func (f *CommandFlags) experiment(wrong *cli.Errors) *fabric.Experiment {
	x := &fabric.Experiment{Name: method.Command, Method: method.Command}
	apps, server, ready := f.Settings.Texts("app"), f.Settings.Text("server"), f.Settings.Text("ready")
	if len(f.Command) > 0 {
		parameter, errs := setting.Parameter(x.Method, "command", "command", Quoted(f.Command))
		x.Parameters = append(x.Parameters, parameter)
		for _, err := range errs {
			wrong.Add(err)
		}
	}
	parameters, errs := f.Settings.Parameters(x.Method, f.Given)
	x.Parameters = append(x.Parameters, parameters...)
	for _, err := range errs {
		wrong.Add(err)
	}
	if len(f.Command) == 0 {
		if len(apps) == 0 {
			wrong.Add(cli.Advise(errors.New("missing -- COMMAND"),
				"write linerate measure command HOST -- ./solver",
				"or --app iperf3"))
		}
		for _, name := range apps {
			if fabric.NeedsCommand(name) {
				wrong.Add(
					cli.Advise(fmt.Errorf("--app %s: it runs a problem that is yours", name),
						fmt.Sprintf("write its command behind --, such as -- %s ARGUMENTS", name)))
			}
		}
	}
	if server != "" {
		if _, err := fabric.Words(server); err != nil {
			wrong.Add(fmt.Errorf("--server: %w", err))
		}
	}
	if ready != "" {
		if _, err := regexp.Compile(ready); err != nil {
			wrong.Add(fmt.Errorf("--ready %s: it is not a regular expression (RE2): %w", ready, err))
		}
		if server == "" {
			wrong.Add(cli.Advise(errors.New("--ready: it says when the server can be used"),
				"add --server, or omit it"))
		}
	}
	if slices.Contains(f.Given, "extract") {
		re, err := regexp.Compile(f.Figure)
		switch {
		case err != nil:
			wrong.Add(fmt.Errorf("--extract %s: it is not a regular expression (RE2): %w", f.Figure, err))
		case re.NumSubexp() != 1:
			wrong.Add(cli.Advise(fmt.Errorf("--extract %s: it has %d groups ( )", f.Figure, re.NumSubexp()),
				`write one group, such as --extract 'time (\S+)'`).Note("the value is what the group matches"))
		}
		x.Figure = &fabric.Figure{Match: f.Figure, Unit: f.Unit}
	} else if f.Unit != "" {
		wrong.Add(cli.Advise(errors.New("--unit: it is the unit of --extract"),
			"add that, or omit it"))
	}
	if x.Files, errs = fabric.AppFiles(f.Files); len(errs) > 0 {
		for _, err := range errs {
			wrong.Add(fmt.Errorf("--files: %w", err))
		}
	}
	for _, name := range x.Files {
		if _, err := os.Stat(name); err != nil {
			wrong.Add(fmt.Errorf("--files: %w", err))
		}
	}
	wrong.Add(experiment.Supported(x))
	return x
}

// Quoted joins a command to one text, which fabric.Words splits into the same words.
func Quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; w == "" || strings.ContainsAny(w, " \t\n\"'") {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// appPlan is the plan of the hosts of a command, joined by the fastest subnet that all of them share; one host needs
// none.
func (f Flags) appPlan(x *fabric.Experiment, e inventory.Ends,
	found map[string]*facts.Facts) (*plan.Plan, []string, error) {
	p := &plan.Plan{Name: x.Method,
		Fabric: &fabric.Fabric{Name: x.Method, Path: "measure", Experiments: []*fabric.Experiment{x}}}
	names := e.All()
	for _, name := range names {
		p.Hosts = append(p.Hosts,
			&plan.Host{Name: name, Connection: e.Connection[name].String(), Decl: &fabric.Host{Name: name}})
	}
	if len(names) == 1 && f.ToAddress == "" {
		return p, nil, nil
	}
	var wanted netip.Addr
	if f.ToAddress != "" {
		wanted = netip.MustParseAddr(f.ToAddress) // checked before
	}
	ports, err := CommonSubnet(names, found, wanted)
	if err != nil {
		return nil, nil, cli.Fail(cli.ExitInput, err)
	}
	for i, name := range names {
		join(p, name, ports[i], 0)
	}
	return p, MtusDiffer(p.Hosts), nil
}
