package measure

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/run/filecopy"
)

// Names of the two ends of a command line in its experiment.
const (
	copySource = "source"
	copyTarget = "target"
)

// CopyFlags are the flags of measure copy; those that it shares with others are in Flags.
type CopyFlags struct {
	Flags
	Source, Target string
}

// connectionPath matches a path with a connection before it: the path begins at the root (/ or C:\), after the colon
// that ends the connection.
var connectionPath = regexp.MustCompile(`^(.*?):(/[^/].*|/|[A-Za-z]:[\\/].*|\\\\.*)$`)

// SplitPlace splits [CONNECTION:]PATH.
func SplitPlace(text string) (connectionText, path string, err error) {
	if text == "" {
		return "", "", cli.Advise(errors.New("missing PATH"),
			`write a PATH, or CONNECTION:PATH such as "ssh nas:/mnt/tank"`)
	}
	first, _, _ := strings.Cut(text, " ")
	local := strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") || strings.HasPrefix(text, `\`) ||
		regexp.MustCompile(`^[A-Za-z]:[\\/]`).MatchString(text)
	if m := connectionPath.FindStringSubmatch(text); m != nil && !local {
		return m[1], m[2], nil
	}
	known := slices.Contains([]string{"local", "netns", "ssh", "lab", "srun", "kubectl", "tcp"}, first) ||
		strings.HasPrefix(text, "tcp://")
	if known && !local && strings.Contains(text, ":") {
		return "", "", fmt.Errorf("%s: behind the connection a path is needed from the root on, such as \"ssh "+
			"nas:/mnt/tank\"",
			connect.Redact(text))
	}
	if known && !local && strings.Contains(text, " ") {
		return "", "", cli.Advise(fmt.Errorf("%s: it has no path", connect.Redact(text)),
			`write it behind a colon, such as "ssh nas:/mnt/tank"`)
	}
	return "local", text, nil
}

// CheckCopy parses a command line of measure copy, before any host is queried. It reports all errors together.
func CheckCopy(e *cli.Env, f *CopyFlags) (*fabric.Experiment, inventory.Ends, error) {
	wrong := &e.Errors
	at := inventory.Ends{Connection: map[string]connect.Spec{}, Flag: map[string]string{}}
	f.paths = map[string]string{}
	var names, texts []string
	for _, end := range []struct{ flag, text, drive string }{
		{"from", f.Source, copySource},
		{"to", f.Target, copyTarget},
	} {
		connectionText, path, err := SplitPlace(end.text)
		if err != nil {
			wrong.Add(fmt.Errorf("--%s: %w", end.flag, err))
			continue
		}
		spec, err := connect.Parse(inventory.End(connectionText))
		if err != nil {
			wrong.Add(fmt.Errorf("--%s: %w", end.flag, err))
			continue
		}
		if spec.Kind == connect.Local {
			if whole, err := filepath.Abs(path); err == nil { // the agent runs in a different folder
				path = whole
			}
		}
		name := inventory.Name(spec)
		if len(texts) == 1 && texts[0] == spec.String() {
			name = names[0]
		} else if len(names) == 1 {
			name = inventory.Unused(name, map[string]bool{names[0]: true})
		}
		names, texts = append(names, name), append(texts, spec.String())
		at.Connection[name] = spec
		if at.Flag[name] == "" {
			at.Flag[name] = end.flag
		}
		f.paths[end.drive] = path
	}
	x := &fabric.Experiment{Name: method.Copy, Method: method.Copy}
	if len(names) == 2 {
		at.From, at.To = names[:1], names[1:]
		transports := f.Settings.Texts("transport")
		x.From, x.To = []string{names[0] + "." + copySource}, []string{names[1] + "." + copyTarget}
		if names[0] == names[1] && len(transports) > 0 && !slices.Equal(transports, []string{"local"}) {
			wrong.Add(
				cli.Advise(errors.New("--transport: both ends are paths of one host, which are copied with cp or "+
					"robocopy"),
					"omit it"))
		}
		if names[0] != names[1] && len(transports) == 0 {
			transports = []string{"http"}
			if slices.ContainsFunc(names, func(n string) bool { return at.Connection[n].Kind == connect.SSH }) &&
				slices.ContainsFunc(names, func(n string) bool { return at.Connection[n].Kind == connect.Local }) {
				transports = []string{"ssh"}
			}
			f.Settings = f.Settings.With("transport", transports...)
		}
		f.serve = copyTarget
		if at.Connection[names[1]].Kind == connect.Local ||
			slices.Contains(transports, "smb") && at.Connection[names[0]].Kind != connect.Local {
			f.serve = copySource // the user copies from this machine
		}
	}
	if f.ToAddress != "" {
		if _, err := netip.ParseAddr(f.ToAddress); err != nil {
			wrong.Add(cli.Advise(fmt.Errorf("--to-address %s: not an IP address", f.ToAddress),
				"write one such as 10.9.0.2"))
		}
	}
	for _, t := range f.Settings.Texts("transport") {
		if !slices.Contains([]string{"ssh", "http", "smb", "local"}, t) {
			wrong.Add(cli.Advise(
				fmt.Errorf("--transport: %q is none of ssh, http and smb, over which two hosts copy", t),
				"mount what is shared otherwise, and name the mounted path"))
		}
	}
	f.read(x, wrong)
	f.checkKept(wrong)
	endSecrets(e, at)
	return x, at, wrong.Err()
}

// read turns the flags into those of an experiment as in a file.
func (f *CopyFlags) read(x *fabric.Experiment, wrong *cli.Errors) {
	parameters, errs := f.Settings.Parameters(x.Method, f.Given)
	x.Parameters = parameters
	for _, err := range errs {
		wrong.Add(err)
	}
	if len(wrong.List) == 0 {
		for _, err := range filecopy.Check(x) {
			wrong.Add(err)
		}
	}
}

// copyPlan is the plan of the hosts of measure copy: each end is a drive of its host.
func (f Flags) copyPlan(_ context.Context, x *fabric.Experiment, e inventory.Ends,
	found map[string]*facts.Facts) (*plan.Plan, []string, error) {
	p := &plan.Plan{Name: x.Method,
		Fabric: &fabric.Fabric{Name: x.Method, Path: "measure", Experiments: []*fabric.Experiment{x}}}
	for _, name := range e.All() {
		decl := &fabric.Host{Name: name}
		for _, end := range []struct {
			hosts []string
			drive string
		}{{e.From, copySource}, {e.To, copyTarget}} {
			if !slices.Contains(end.hosts, name) {
				continue
			}
			d := &fabric.Drive{Name: end.drive, Path: f.paths[end.drive]}
			if f.serve == end.drive && len(e.All()) > 1 {
				d.Export, d.Shares = "smb", map[string]string{
					"ssh":  f.serve,
					"http": f.serve,
				} // the other host copies, over any transport
			}
			decl.Drives = append(decl.Drives, d)
		}
		p.Hosts = append(p.Hosts, &plan.Host{Name: name, Connection: e.Connection[name].String(), Decl: decl})
	}
	if len(e.All()) == 1 {
		return p, nil, nil
	}
	var wanted netip.Addr
	if f.ToAddress != "" {
		wanted = netip.MustParseAddr(f.ToAddress) // checked before
	}
	ports, err := CommonSubnet(e.All(), found, wanted)
	if err != nil && !wanted.IsValid() && slices.Equal(x.Parameter("transport"), []string{"ssh"}) {
		return p, []string{"the network between the hosts is not counted: " + err.Error()}, nil
	}
	if err != nil {
		return nil, nil, cli.Fail(cli.ExitInput, err)
	}
	for i, name := range e.All() {
		join(p, name, ports[i], 0)
	}
	return p, MtusDiffer(p.Hosts), nil
}
