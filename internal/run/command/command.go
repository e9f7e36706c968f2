package command

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
)

// guessedDuration is the assumed duration of a command that has not run yet.
const guessedDuration = 30 * time.Second

// Command is a Measurement that runs a command.
type Command struct {
	experiment.Defaults
	c     *experiment.Combination
	hosts []string     // the first one runs the command
	ports []*plan.Port // of each host, of the planned path; nil: none is planned
	nets  []netip.Prefix
	words []string // of the command, with placeholders
	serve []string // of the server on the second host; nil: there is none
	ready string   // text in the server's output that shows that it is ready
	// program is the ready-made program; its zero value has no name.
	program program
	figure  *fabric.Figure // nil: the program's own, or the time
	files   []string       // below dir, the fabric file's folder
	dir     string
}

// NewCommand is a Measurement that runs a command on the first of hosts, over the networks of their ports.
func NewCommand(c *experiment.Combination, hosts []string, ports []*plan.Port, words []string) *Command {
	a := &Command{c: c, hosts: hosts, ports: ports, words: words}
	for _, p := range ports {
		a.nets = xslices.AppendNew(a.nets, p.Address.Masked())
	}
	return a
}

// Hosts are those of the experiment.
func (a *Command) Hosts() []string { return slices.Compact(slices.Sorted(slices.Values(a.hosts))) }

// Paths is nil: the plan does not know the traffic of a command.
func (a *Command) Paths() []plan.Path { return nil }

// OpenEnded is true: a command takes as long as it takes.
func (a *Command) OpenEnded() bool { return true }

// Guess is guessedDuration, within the limit.
func (a *Command) Guess(float64) time.Duration { return min(a.c.Asked(), guessedDuration) }

// Value is the figure of the output.
func (a *Command) Value(r record.Repeat) float64 { return r.App.Figure }

// InEffect records the command that was run.
func (a *Command) InEffect(last record.Repeat) {
	a.c.Record.InEffect["command"] = strings.Join(last.App.Command, " ")
}

// Summarize fills the figure of the experiment from its repeats.
func (a *Command) Summarize() (err error) {
	e := a.c.Record
	if len(e.Repeats) == 0 {
		return nil
	}
	e.App = e.Repeats[len(e.Repeats)-1].App
	e.FigureUnit = e.App.Unit
	if e.Figure, err = remote.Estimated(xslices.Map(e.Repeats, a.Value)); err != nil {
		return fmt.Errorf("the figure of %s: %w", e.Name, err)
	}
	e.Seconds, err = remote.Estimated(xslices.Map(e.Repeats, func(r record.Repeat) float64 { return r.Seconds }))
	if err != nil {
		return fmt.Errorf("seconds of %s: %w", e.Name, err)
	}
	remote.SummarizeCPU(e)
	return nil
}

// Expand returns the combinations of an experiment that runs a command.
func Expand(p *plan.Plan, e *fabric.Experiment, o experiment.Options) []*experiment.Combination {
	var hosts []string
	for _, h := range slices.Concat(e.On, e.From, e.To) {
		h, _, _ = strings.Cut(h, ".")
		hosts = xslices.AppendNew(hosts, h)
	}
	vias := [][]string{e.Via}
	if len(e.Via) > 1 {
		vias = nil
		for _, v := range e.Via {
			vias = append(vias, []string{v})
		}
	}
	var combinations []*experiment.Combination
	for _, via := range vias {
		for _, settings := range experiment.Product(e.Parameters) {
			maps.Copy(settings, o.Settings)
			c := &experiment.Combination{Samples: experiment.DefaultSamples, Interval: settings["time"],
				Repeats: experiment.RepeatsOf(e, o)}
			a := &Command{c: c, hosts: hosts, figure: e.Figure}
			c.Measurement = a
			delete(settings, "time")
			if len(e.Via) > 1 {
				settings["via"] = via[0]
			}
			x := &record.Experiment{Name: e.Name, Method: method.Command, From: fabric.Compact(slices.Clone(hosts)),
				Direction: "out", Variant: p.Variant, Settings: settings}
			if c.Record = x; len(e.To) > 0 {
				x.From, x.To = hosts[0], fabric.Compact(slices.Clone(hosts[1:]))
			}
			if e.Figure != nil {
				x.FigureMatch = e.Figure.Match
			}
			x.NotRun = cmp.Or(a.settle(e, settings), a.connect(p, x, via), experiment.Unsupported(e, settings, o))
			a.dir = filepath.Dir(p.Fabric.Path)
			for _, f := range e.Files {
				a.files = append(a.files, filepath.FromSlash(f))
			}
			if !o.Commands && x.NotRun == "" {
				x.NotRun = fmt.Sprintf("it runs what the file says %s; read it, and allow it with --allow-commands", a.shown())
			}
			x.ID = record.ExperimentID(x)
			combinations = append(combinations, c)
		}
	}
	return combinations
}

// settle finds what to run, or returns why it cannot run.
func (a *Command) settle(e *fabric.Experiment, settings map[string]string) string {
	if name := settings["app"]; name != "" {
		for _, p := range readyMade() {
			if p.name == name {
				a.program = p
			}
		}
		if a.program.name == "" {
			return fmt.Sprintf("app: %s is none of the ready-made programs", name)
		}
	}
	command, server := cmp.Or(settings["command"], a.program.command), cmp.Or(settings["server"], a.program.server)
	a.ready = settings["ready"]
	if settings["server"] == "" && a.ready == "" {
		a.ready = a.program.ready
	}
	var err error
	if a.words, err = fabric.Words(command); err != nil {
		return "command: " + err.Error()
	}
	if server != "" {
		if a.serve, err = fabric.Words(server); err != nil {
			return "server: " + err.Error()
		}
		if len(e.To) != 1 || len(e.From) != 1 {
			return "its server needs a host of its own: write from: HOST and to: HOST"
		}
	} else if len(e.To) > 0 {
		return "it has a to and no server; write server: \"PROGRAM ARGUMENTS\", or on: with all hosts of mpirun"
	}
	for _, words := range [][]string{a.words, a.serve} {
		if why := throughShell(words); why != "" {
			return why
		}
		if why := unknownPlaceholder(words); why != "" {
			return why
		}
	}
	return ""
}

// shells read the text after -c.
var shells = []string{"sh", "bash", "dash", "ksh", "zsh", "ash", "fish"}

// throughShell returns where a value would be inserted into a shell script.
func throughShell(words []string) string {
	for i := 0; i+2 < len(words); i++ {
		if slices.Contains(shells, filepath.Base(words[i])) && strings.HasPrefix(words[i+1], "-") &&
			strings.HasSuffix(words[i+1], "c") &&
			placeholder.MatchString(words[i+2]) {
			return fmt.Sprintf(
				"%s would read the value of %s as a part of its program; write it as an argument: %s -c '.. \"$1\"' %s %s",
				words[i], placeholder.FindString(words[i+2]), words[i], words[i], placeholder.FindString(words[i+2]))
		}
	}
	return ""
}

// connect finds the planned ports of the hosts on the network of via, or returns why there are none.
func (a *Command) connect(p *plan.Plan, x *record.Experiment, via []string) string {
	a.ports = make([]*plan.Port, len(a.hosts))
	note := func(path plan.Path) {
		for _, port := range []*plan.Port{path.FromPort, path.ToPort} {
			if net := port.Address.Masked(); port.Address.IsValid() && !slices.Contains(a.nets, net) {
				a.nets = append(a.nets, net)
			}
		}
		for _, l := range path.Links {
			x.Links = xslices.AppendNew(x.Links, l.Name)
		}
	}
	same := true
	for i := 1; i < len(a.hosts); i++ {
		path, why := experiment.PathBetween(p, a.hosts[0], a.hosts[i], via)
		if why != "" {
			return why
		}
		same = same && (a.ports[0] == nil || a.ports[0] == path.FromPort)
		if a.ports[0] == nil {
			a.ports[0] = path.FromPort
		}
		a.ports[i] = path.ToPort
		note(path)
	}
	for i := 1; !same && i < len(a.hosts); i++ { // cables from host to host: each pair has its own network
		for j := i + 1; j < len(a.hosts); j++ {
			path, why := experiment.PathBetween(p, a.hosts[i], a.hosts[j], via)
			if why != "" {
				return why
			}
			note(path)
		}
	}
	if len(a.hosts) == 1 && len(via) > 0 {
		for _, port := range p.Host(a.hosts[0]).Ports {
			if (port.NIC == via[0] || port.ID == via[0]) && port.Address.IsValid() {
				a.ports[0] = port
			}
		}
	}
	for i, h := range a.hosts {
		end := record.End{Host: h}
		if port := a.ports[i]; port != nil {
			end.Port, end.Interface, end.Address = port.ID, port.Interface, port.Address.Addr().String()
		}
		x.Ends = append(x.Ends, end)
	}
	return ""
}

// processes is the number of processes, if the command contains that placeholder.
func (a *Command) processes() int {
	if n, err := strconv.Atoi(a.c.Record.Settings["processes"]); err == nil {
		return n
	}
	return len(a.hosts)
}

// shown lists everything that a combination would run and send, for the user to allow.
func (a *Command) shown() string {
	text := fmt.Sprintf("on %s: %s", a.hosts[0], strings.Join(a.words, " "))
	if a.serve != nil {
		text = fmt.Sprintf("on %s: %s; %s", a.hosts[1], strings.Join(a.serve, " "), text)
	}
	if len(a.files) > 0 {
		text += "; with the files " + strings.Join(a.files, ", ")
	}
	return text
}
