package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/internal/agent"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// App is the method that runs a command.
const App = "app"

// appGuess is how long a command is taken to run that has not run yet.
const appGuess = 30 * time.Second

// appCell is what a cell of app has beside others.
type appCell struct {
	hosts []string     // the first one runs the command
	ports []*plan.Port // of each host, of the planned path; nil: none is planned
	nets  []netip.Prefix
	words []string // of the command, placeholders and all
	serve []string // of the server on the second host; nil: there is none
	ready string   // what the server's output says when it can be used
	// program is the ready-made one; its zero value has no name.
	program program
	figure  *fabric.Figure // nil: the program's own, or the time
	files   []string       // below dir, the fabric file's folder
	dir     string
}

// apps are the cells of an experiment that runs a command.
func apps(p *plan.Plan, e *fabric.Experiment, o Options) []*Cell {
	var hosts []string
	for _, h := range slices.Concat(e.On, e.From, e.To) {
		h, _, _ = strings.Cut(h, ".")
		hosts = once(hosts, h)
	}
	vias := [][]string{e.Via}
	if len(e.Via) > 1 {
		vias = nil
		for _, v := range e.Via {
			vias = append(vias, []string{v})
		}
	}
	var cells []*Cell
	for _, via := range vias {
		for _, settings := range product(e.Axes) {
			maps.Copy(settings, o.Settings)
			c := &Cell{Samples: DefaultSamples, Window: settings["time"], Repeat: repeats(e, o), app: &appCell{hosts: hosts, figure: e.Figure}}
			delete(settings, "time")
			if len(e.Via) > 1 {
				settings["via"] = via[0]
			}
			x := &record.Experiment{Name: e.Name, Method: App, From: fabric.Compact(slices.Clone(hosts)), Direction: "out", Variant: p.Variant, Settings: settings}
			if c.Exp = x; len(e.To) > 0 {
				x.From, x.To = hosts[0], fabric.Compact(slices.Clone(hosts[1:]))
			}
			if e.Figure != nil {
				x.FigureMatch = e.Figure.Match
			}
			x.NotRun = cmp.Or(c.app.settle(e, settings), c.app.connect(p, x, via), unsupported(e, settings, o))
			c.app.dir = filepath.Dir(p.Fabric.Path)
			for _, f := range e.Files {
				c.app.files = append(c.app.files, filepath.FromSlash(f))
			}
			if !o.Commands && x.NotRun == "" {
				x.NotRun = fmt.Sprintf("it runs what the file says %s; read it, and allow it with --allow-commands", c.app.shown())
			}
			x.ID = record.ExperimentID(x)
			cells = append(cells, c)
		}
	}
	return cells
}

// settle finds what is to run, or says what is wrong with it.
func (a *appCell) settle(e *fabric.Experiment, settings map[string]string) string {
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
		if why := strangePlaceholder(words); why != "" {
			return why
		}
	}
	return ""
}

// shells read the text behind -c.
var shells = []string{"sh", "bash", "dash", "ksh", "zsh", "ash", "fish"}

// throughShell says where a value would be put into a text that a shell reads.
func throughShell(words []string) string {
	for i := 0; i+2 < len(words); i++ {
		if slices.Contains(shells, filepath.Base(words[i])) && strings.HasPrefix(words[i+1], "-") && strings.HasSuffix(words[i+1], "c") && placeholder.MatchString(words[i+2]) {
			return fmt.Sprintf("%s would read the value of %s as a part of its program; write it as an argument: %s -c '.. \"$1\"' %s %s", words[i],
				placeholder.FindString(words[i+2]), words[i], words[i], placeholder.FindString(words[i+2]))
		}
	}
	return ""
}

// connect finds the planned ports of the hosts on the network of via, or says why there are none.
func (a *appCell) connect(p *plan.Plan, x *record.Experiment, via []string) string {
	a.ports = make([]*plan.Port, len(a.hosts))
	note := func(path plan.Path) {
		for _, port := range []*plan.Port{path.FromPort, path.ToPort} {
			if net := port.Address.Masked(); port.Address.IsValid() && !slices.Contains(a.nets, net) {
				a.nets = append(a.nets, net)
			}
		}
		for _, l := range path.Links {
			if !slices.Contains(x.Links, l.Name) {
				x.Links = append(x.Links, l.Name)
			}
		}
	}
	same := true
	for i := 1; i < len(a.hosts); i++ {
		path, why := between(p, a.hosts[0], a.hosts[i], via)
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
	for i := 1; !same && i < len(a.hosts); i++ { // cables from host to host: each pair has a network of its own
		for j := i + 1; j < len(a.hosts); j++ {
			path, why := between(p, a.hosts[i], a.hosts[j], via)
			if why != "" {
				return why
			}
			note(path)
		}
	}
	if len(a.hosts) == 1 && len(via) > 0 {
		for _, port := range p.Host(a.hosts[0]).Ports {
			if (port.Card == via[0] || port.ID == via[0]) && port.Address.IsValid() {
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

// processes is how many of them there are to be, if the command says so by a placeholder.
func (c *Cell) processes() int {
	if n, err := strconv.Atoi(c.Exp.Settings["processes"]); err == nil {
		return n
	}
	return len(c.app.hosts)
}

// readFiles are the files that go with the command. A link that leads out of the fabric file's folder is refused: whoever wrote the file chose the
// hosts, too.
func (a *appCell) readFiles() ([]agent.AppFile, error) {
	if len(a.files) == 0 {
		return nil, nil
	}
	root, err := os.OpenRoot(a.dir)
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	defer root.Close()
	var out []agent.AppFile
	left := int64(agent.MostFiles)
	for _, name := range a.files {
		text, err := readOne(root, name, left)
		if err != nil {
			return nil, fmt.Errorf("files: %s: %w", name, err)
		}
		left -= int64(len(text))
		out = append(out, agent.AppFile{Name: filepath.Base(name), Data: text})
	}
	return out, nil
}

func readOne(root *os.Root, name string, left int64) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case st.Size() > left:
		return nil, fmt.Errorf("with those before it it is larger than %d KiB, what an agent takes; put large files on the hosts and name them in the command", agent.MostFiles>>10)
	}
	return io.ReadAll(io.LimitReader(f, left))
}

// shown is everything that a cell would run and send, for somebody who is to allow it.
func (a *appCell) shown() string {
	text := fmt.Sprintf("on %s: %s", a.hosts[0], strings.Join(a.words, " "))
	if a.serve != nil {
		text = fmt.Sprintf("on %s: %s; %s", a.hosts[1], strings.Join(a.serve, " "), text)
	}
	if len(a.files) > 0 {
		text += "; with the files " + strings.Join(a.files, ", ")
	}
	return text
}
