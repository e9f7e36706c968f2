package run

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// Cell is one experiment between two ends in one direction with one value of
// every axis: what is measured, and how.
type Cell struct {
	Exp    *record.Experiment
	Path   plan.Path
	Flows  []plan.Path // of a group of hosts, all driven at once; Path is then empty
	Window string      // as the file asks for; empty: the default
	Repeat int         // how many
	// Until, if more than 0, asks for repeats until the 95 % interval of the median is within this share of it on
	// both sides; AtMost bounds them (0: MostRepeats).
	Until  float64
	AtMost int
	// Samples is how often in a second both ends are sampled; 0: never.
	Samples int
	// Turn names what is measured in turns, A B A B: cells with the same one. Empty: by itself.
	Turn string

	halo    *haloCell            // of halo; Path and Flows are then empty
	app     *appCell             // of the method app; nil: another one
	block   *blockCell           // of block; nil: another one
	copy    *copyCell            // of copy; nil: another one
	marks   []*traffic.ClassMark // of a proof, by flow: the class that it is sent in; nil: best effort
	class   plan.QoSClass        // of a proof
	sends   *classTraffic        // of a proof: what its class is sent as; nil: that was not chosen yet
	fixed   time.Duration        // window of a repeat, whatever was asked for; 0: as asked
	partial *record.Repeat       // of a group: one in which some flows failed
}

// DefaultRepeats is how often a cell is measured if the file does not say.
const DefaultRepeats = 3

// methods that this version measures; all others are listed as not run.
var methods = map[string]bool{"stream": true, "ping": true, Verbs: true, Acceptance: true, Proof: true, Halo: true, App: true, Block: true, Copy: true}

// Options say which part of a fabric is to be run.
type Options struct {
	Only    []string // names of experiments; none: all
	Repeats int      // 0: the file's, else DefaultRepeats
	// Sources lets experiments read a file of a host and send it. A fabric file may be another's, and the host at the other end, too.
	Sources bool
	// Commands lets experiments of the method app run. A fabric file may be another's.
	Commands bool
	// Destroy are the devices that block may overwrite: DEVICE=SERIAL or DEVICE=SIZE. Never of a fabric file.
	Destroy []string
	// Lab: the hosts are a lab's, which has folders in place of drives, and NVMe/TCP in place of every protocol of storage.
	Lab bool
	// Proof: the proofs of the lossless classes, in place of the file's experiments.
	Proof bool
	// Settings are put in place of those of the file, in every experiment.
	Settings map[string]string
}

// Cells expands the experiments of a plan, in the order of the file; axes
// multiply, a later one running fastest. Cells that cannot be measured say why in
// Exp.NotRun. What of Only names no experiment is an error, all of it together.
func Cells(p *plan.Plan, o Options) ([]*Cell, error) {
	experiments := p.Fabric.Experiments
	if len(experiments) == 0 {
		experiments = p.Fabric.DefaultExperiments()
	}
	if o.Proof {
		var err error
		if experiments, err = LosslessProofs(p); err != nil {
			return nil, err
		}
	}
	var all []*Cell
	var names []string
	for _, e := range experiments {
		names = append(names, e.Name)
		all = append(all, expand(p, e, o)...)
	}
	apart(all)
	if len(o.Only) == 0 {
		return all, nil
	}
	var wrong []error
	for _, only := range o.Only {
		if !slices.Contains(names, only) {
			wrong = append(wrong, fmt.Errorf("--only %s: the fabric has no experiment of that name; it has: %s", only, strings.Join(names, ", ")))
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return slices.DeleteFunc(all, func(c *Cell) bool { return !slices.Contains(o.Only, c.Exp.Name) }), nil
}

// apart gives cells that are alike in all but the experiment that they are of records of their own: the first in the file keeps its id, which has no name in it,
// so that it is the same in a file that has only one. It looks at the whole file, so that an experiment has one id with --only and without. Cells that are alike within
// an experiment stay one.
func apart(cells []*Cell) {
	first := map[string]string{}
	for _, c := range cells {
		x := c.Exp
		if name, ok := first[x.ID]; !ok {
			first[x.ID] = x.Name
		} else if name != x.Name {
			x.SameAs = name
			x.ID = record.ExperimentID(x)
		}
	}
}

func expand(p *plan.Plan, e *fabric.Experiment, o Options) []*Cell {
	if why := notMeasurable(e); why != "" {
		return []*Cell{unmeasured(p, e, why)}
	}
	if e.Method == Proof {
		return proofs(p, e, o)
	}
	if e.Method == Halo {
		return halos(p, e, o)
	}
	if e.Method == App {
		return apps(p, e, o)
	}
	if e.Method == Block {
		return blocks(p, e, o)
	}
	if e.Method == Copy {
		return copies(p, e, o)
	}
	if e.Grouped() {
		return groups(p, e, o)
	}
	paths, why := endpoints(p, e)
	if why != "" {
		return []*Cell{unmeasured(p, e, why)}
	}
	var cells []*Cell
	for _, path := range paths {
		for _, settings := range product(e.Axes) {
			maps.Copy(settings, o.Settings)
			c := &Cell{Samples: DefaultSamples, Path: path, Window: settings["time"], Repeat: repeats(e, o)}
			if e.Method == Acceptance {
				c.accepts(settings, e, o)
			}
			direction := settings["direction"]
			if direction == "" {
				direction = "out"
			}
			delete(settings, "direction")
			delete(settings, "time")
			c.Exp = &record.Experiment{
				Name: e.Name, Method: e.Method, From: path.From, To: path.To, Direction: direction,
				Variant: p.Variant, Settings: settings, Ends: ends(path),
				NotRun: cmp.Or(unsupported(e, settings, o), wrongWay(settings, direction)),
			}
			if len(e.Via) > 1 {
				settings["via"] = path.FromPort.Card
			}
			for _, l := range path.Links {
				c.Exp.Links = append(c.Exp.Links, l.Name)
			}
			c.Exp.ID = record.ExperimentID(c.Exp)
			cells = append(cells, c)
		}
	}
	return cells
}

func repeats(e *fabric.Experiment, o Options) int {
	switch {
	case o.Repeats > 0:
		return o.Repeats
	case e.Repeats > 0:
		return e.Repeats
	}
	return DefaultRepeats
}

func ends(p plan.Path) []record.End {
	var out []record.End
	for _, port := range []*plan.Port{p.FromPort, p.ToPort} {
		out = append(out, record.End{Host: port.Host, Port: port.ID, Interface: port.Interface, Address: port.Address.Addr().String()})
	}
	return out
}

// notMeasurable says why an experiment as a whole is beyond this version.
func notMeasurable(e *fabric.Experiment) string {
	if !methods[e.Method] {
		return fmt.Sprintf("the method %s is not part of this version, which measures stream, ping, verbs, halo, app, block, copy, acceptance and proof", e.Method)
	}
	if e.Grouped() && e.Method != "stream" && e.Method != Proof && e.Method != Halo && e.Method != Block {
		return e.Method + " among several hosts at once is not part of this version; a list, from: [n1, n2], measures one after another"
	}
	return ""
}

// unmeasured is the one record that stands for an experiment that is not run.
func unmeasured(p *plan.Plan, e *fabric.Experiment, why string) *Cell {
	exp := &record.Experiment{Name: e.Name, Method: e.Method, From: strings.Join(e.From, ", "), To: strings.Join(e.To, ", "),
		Variant: p.Variant, Settings: map[string]string{}, NotRun: why}
	for _, a := range e.Axes {
		exp.Settings[a.Key] = strings.Join(a.Values, ", ")
	}
	exp.ID = record.ExperimentID(exp)
	return &Cell{Exp: exp}
}

// understood are the axes that each method takes in this version.
var understood = map[string]map[string]bool{
	"stream": {"streams": true, "size": true, "transport": true, "mtu": true, "via": true, "fragment": true, "pace": true, "pace_by": true, "amount": true, "source": true, "pattern": true,
		"copies": true, "placement": true, "gather": true},
	"ping": {"size": true, "transport": true, "mtu": true, "via": true, "fragment": true, "placement": true, "spin": true,
		"streams": true, "every": true, "load_streams": true, "load_direction": true},
	Verbs: {"op": true, "metric": true, "pairs": true, "size": true, "transport": true, "service": true, "via": true, "placement": true, "depth": true, "inline": true,
		"signal": true, "batch": true, "path_mtu": true, "service_level": true, "traffic_class": true, "device": true},
	Halo:       {"tiles": true, "processes": true, "exchange": true, "transport": true, "via": true, "placement": true, "spin": true},
	Acceptance: {"streams": true, "mtu": true, "via": true, "bit_error_rate": true},
	App:        {"command": true, "server": true, "ready": true, "app": true, "processes": true, "threads": true, "via": true},
	Block: {"load": true, "profile": true, "size": true, "pattern": true, "read": true, "depth": true, "threads": true, "amount": true, "span": true, "warmup": true, "pause": true,
		"think": true, "rate": true, "steady": true, "seed": true, "cache": true, "on_error": true, "sync": true, "verify": true, "transport": true},
	Copy:  {"amount": true, "files": true, "streams": true, "threads": true, "tool": true, "cache": true, "transport": true, "mtu": true, "via": true},
	Proof: {"class": true, "streams": true, "transport": true, "size": true},
}

// unsupported says why this one cell cannot be measured.
func unsupported(e *fabric.Experiment, settings map[string]string, o Options) string {
	t := settings["transport"]
	if t == traffic.ICMP && e.Method == "ping" {
		for _, k := range []string{"load_streams", "fragment"} {
			if v := settings[k]; v != "" && v != "false" {
				return fmt.Sprintf("%s: %s is not possible over icmp, where only from has an agent and asks; measure over tcp or udp", k, v)
			}
		}
	} else if e.Method != Verbs && e.Method != Halo && e.Method != Block && e.Method != Copy && t != "" && t != traffic.TCP && t != traffic.UDP {
		return fmt.Sprintf("%s over %s is not part of this version, which measures TCP and UDP", e.Method, t)
	}
	if settings["fragment"] == "true" && settings["transport"] != traffic.UDP {
		return "fragment is a setting of the transport udp"
	}
	if settings["load_direction"] != "" && settings["load_streams"] == "" {
		return "load_direction is of the load that load_streams asks for"
	}
	if why := contradiction(settings); why != "" {
		return why
	}
	if path := settings["source"]; path != "" && !o.Sources {
		return fmt.Sprintf("it reads the file %s of the host that sends and gives it to the other end; allow that with --allow-source", path)
	}
	for k, v := range settings {
		if !understood[e.Method][k] {
			return fmt.Sprintf("the setting %s: %s is not part of this version", k, v)
		}
	}
	return ""
}

// wrongWay says why the direction of a cell cannot be measured over its transport.
func wrongWay(settings map[string]string, direction string) string {
	if settings["transport"] == traffic.ICMP && direction != "" && direction != traffic.Out {
		return fmt.Sprintf("direction: %s is not possible over icmp, where only from has an agent and asks: out", direction)
	}
	return ""
}

// Supported says which of an experiment's settings, made by hand, this version cannot measure; nil: none.
func Supported(e *fabric.Experiment) error {
	var all []error
	for _, settings := range product(e.Axes) {
		direction := settings["direction"]
		delete(settings, "direction")
		delete(settings, "time")
		if why := cmp.Or(unsupported(e, settings, Options{Sources: true}), wrongWay(settings, direction)); why != "" && !slices.ContainsFunc(all, func(err error) bool { return err.Error() == why }) {
			all = append(all, errors.New(why))
		}
	}
	return errors.Join(all...)
}

// contradiction names settings of which one leaves no room for the other.
func contradiction(settings map[string]string) string {
	udp := settings["transport"] == traffic.UDP
	gather := settings["gather"] != "" && settings["gather"] != "1"
	for _, c := range []struct {
		with bool
		key  string
		why  string
	}{
		{udp, "amount", "datagrams that are lost are not sent again, so that no amount of them comes through for certain; measure a time, or use tcp"},
		{udp, "source", "datagrams come from memory; use tcp"},
		{gather, "amount", "gathered messages take a time; leave gather or the amount out"},
		{gather, "source", "a file is sent without gathered messages; leave gather or the source out"},
		{settings["pace"] == "", "pace_by", "it says who keeps a rate, and no pace was asked for; add one, such as pace 300M"},
	} {
		if c.with && settings[c.key] != "" {
			return c.key + ": " + c.why
		}
	}
	return ""
}

// product lists every combination of the axes' values.
func product(axes []fabric.Axis) []map[string]string {
	out := []map[string]string{{}}
	for _, a := range axes {
		var next []map[string]string
		for _, m := range out {
			for _, v := range a.Values {
				n := map[string]string{a.Key: v}
				for k, x := range m {
					n[k] = x
				}
				next = append(next, n)
			}
		}
		out = next
	}
	return out
}
