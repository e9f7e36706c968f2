package measure

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/run/storage"
)

// blockTarget is the name of the storage in the experiment.
const blockTarget = "storage"

// StorageFlags are the flags of measure storage; those that it shares with others are in Flags.
type StorageFlags struct {
	Flags
	Target, Storage string
}

// CheckStorage parses a command line of measure storage, before any host is queried. It reports all errors together.
func CheckStorage(e *cli.Env, f *StorageFlags) (*fabric.Experiment, inventory.Ends, error) {
	wrong := &e.Errors
	x := f.experiment(wrong)
	at, err := f.hosts()
	wrong.Add(err)
	if f.ToAddress != "" && f.Storage == "" {
		wrong.Add(errors.New("--to-address: it is in the network to the host of --storage, and there is none"))
	}
	owner := ""
	if len(at.To) > 0 {
		owner = at.To[0]
	}
	for _, name := range at.From {
		to := name
		if owner != "" {
			to = owner
		}
		x.From, x.To = append(x.From, name), append(x.To, to+"."+blockTarget)
	}
	f.paths = map[string]string{}
	for _, name := range at.From {
		f.paths[name] = f.Target
		if at.Connection[name].Kind == "local" && f.Target != "" && !strings.Contains(f.Target, "://") {
			if path, err := filepath.Abs(f.Target); err == nil { // the agent runs in a different folder
				f.paths[name] = path
			}
		}
	}
	f.checkKept(wrong)
	endSecrets(e, at)
	return x, at, wrong.Err()
}

// hosts are the clients, and the host with the storage, if it is named.
func (f *StorageFlags) hosts() (inventory.Ends, error) {
	one := Flags{From: f.From, eachOnce: true}
	if f.Storage != "" {
		one.To = []string{f.Storage}
	}
	return one.Ends()
}

// experiment turns the flags into an experiment as in a file.
func (f *StorageFlags) experiment(wrong *cli.Errors) *fabric.Experiment {
	x := &fabric.Experiment{Name: method.Storage, Method: method.Storage}
	if f.Target == "" {
		wrong.Add(cli.Advise(errors.New("missing --to"),
			"write --to FOLDER (linerate creates a file of --span, and removes it), --to "+
				"FILE or --to DEVICE"))
	}
	parameters, errs := f.Settings.Parameters(x.Method, f.Given)
	x.Parameters = parameters
	for _, err := range errs {
		wrong.Add(err)
	}
	if len(wrong.List) == 0 {
		for _, err := range storage.Check(x) {
			wrong.Add(err)
		}
	}
	for _, text := range f.Destroy {
		if at := strings.LastIndex(text, "="); at < 1 || at == len(text)-1 {
			wrong.Add(fmt.Errorf(
				"--destroy %s: write DEVICE=SERIAL, or DEVICE=SIZE where it has no serial number, so that no other device is "+
					"overwritten by a slip", text))
		}
	}
	return x
}

// blockPlan is the plan of the hosts of measure storage: the storage is a drive of its host, or of each client.
func (f Flags) blockPlan(x *fabric.Experiment, e inventory.Ends,
	found map[string]*facts.Facts) (*plan.Plan, []string, error) {
	p := &plan.Plan{Name: x.Method,
		Fabric: &fabric.Fabric{Name: x.Method, Path: "measure", Experiments: []*fabric.Experiment{x}}}
	for _, name := range e.All() {
		decl := &fabric.Host{Name: name}
		switch {
		case slices.Contains(e.To, name):
			d := &fabric.Drive{Name: blockTarget, Mounts: map[string]string{}}
			for _, asks := range e.From {
				d.Mounts[asks] = f.paths[asks]
			}
			if slices.Contains(e.From, name) {
				d.Path = f.paths[name]
			}
			decl.Drives = []*fabric.Drive{d}
		case len(e.To) == 0:
			decl.Drives = []*fabric.Drive{{Name: blockTarget, Path: f.paths[name]}}
		}
		p.Hosts = append(p.Hosts, &plan.Host{Name: name, Connection: e.Connection[name].String(), Decl: decl})
	}
	if len(e.To) == 0 || len(e.All()) == 1 {
		return p, nil, nil
	}
	var wanted netip.Addr
	if f.ToAddress != "" {
		wanted = netip.MustParseAddr(f.ToAddress) // checked before
	}
	ports, err := CommonSubnet(e.All(), found, wanted)
	if err != nil {
		if wanted.IsValid() {
			return nil, nil, cli.Fail(cli.ExitInput, err)
		}
		return p, []string{"the network between the hosts is not counted: " + err.Error()}, nil
	}
	for i, name := range e.All() {
		join(p, name, ports[i], 0)
	}
	return p, MtusDiffer(p.Hosts), nil
}
