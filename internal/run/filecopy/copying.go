package filecopy

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/internal/agent/copies"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
)

// Transports of a copy, in addition to the kinds of shares.
const (
	overPath = "path"
	overSSH  = "ssh"
	overHTTP = "http"
	overSMB  = "smb"
	overFTP  = "ftp"
	overNFS  = "nfs"
)

// defaultAmount is the default amount of a copy.
const defaultAmount = unit.GiB

// place is an end of a copy.
type place struct {
	host, path string
}

// copying is a Measurement that copies files.
type copying struct {
	experiment.Defaults
	c       *experiment.Combination
	ends    [2]place // from and to
	legs    [][2]int // source and target of each direction, among ends
	over    string
	client  string        // its address
	served  int           // of the user's own server; nil: linerate exports it
	at      netip.Addr    // variable with its password; empty: the tool has its own login
	share   *fabric.Share // of the user's own server; nil: linerate gives it out
	login   string        // the variable with its password; empty: the tool knows it by itself
	instead string        // what it replaces in a lab; empty: nothing
	stores  []string      // other hosts that take part
	locals  map[string]netip.Addr
	path    *plan.Path // nil: all on one host, or not known
	drives  [2]*fabric.Drive
	tool    string
	cache   string
	streams int
	files   int
	threads int
	amount  unit.Bytes
	lab     bool
	take    bool // an existing file may be the source

	made []madeLeg // prepared legs, for all repeats
}

func (b *copying) Hosts() []string { return slices.Compact(slices.Sorted(slices.Values(b.hosts()))) }

func (b *copying) Paths() []plan.Path {
	if b.path == nil {
		return nil
	}
	return []plan.Path{*b.path}
}

func (b *copying) OpenEnded() bool { return true }

func (b *copying) Guess(scale float64) time.Duration {
	if scale < 1 {
		return time.Duration(labCopyTime * 1e9)
	}
	return b.c.AmountTakes(scale, b.Paths(), 0)
}

func (b *copying) InEffect(last record.Repeat) {
	b.c.AmountInEffect(last)
	b.c.TransportInEffect()
}

// Substituted reports whether it is copied in a lab, where HTTP replaces what the hosts are missing.
func (b *copying) Substituted() bool { return b.lab }

// madeLeg is a direction with prepared ends.
type madeLeg struct {
	source, target copies.Placed
	share          *copies.Shared
}

// hosts are all hosts that take part.
func (c *copying) hosts() (all []string) {
	for _, e := range c.ends {
		all = xslices.AppendNew(all, e.host)
	}
	for _, h := range append([]string{c.client}, c.stores...) {
		if h != "" {
			all = xslices.AppendNew(all, h)
		}
	}
	return all
}

// Expand expands an experiment of method copy: a combination for every combination of values.
func Expand(p *plan.Plan, e *fabric.Experiment, o experiment.Options) []*experiment.Combination {
	var combinations []*experiment.Combination
	for _, settings := range experiment.Product(e.Parameters) {
		maps.Copy(settings, o.Settings)
		c := &experiment.Combination{Samples: experiment.DefaultSamples, Interval: settings["time"],
			Repeats: experiment.RepeatsOf(e, o)}
		b := &copying{c: c, lab: o.Lab, take: o.Sources && !o.Lab}
		c.Measurement = b
		direction := cmp.Or(settings["direction"], "out")
		delete(settings, "direction")
		delete(settings, "time")
		x := &record.Experiment{Name: e.Name, Method: method.Copy, Direction: direction, Variant: p.Variant,
			Settings: settings}
		c.Record = x
		err := b.read(settings, direction)
		x.NotRun = cmp.Or(experiment.Unsupported(e, settings, o), b.choose(p, e, x, settings["transport"], o))
		if err != nil && x.NotRun == "" {
			x.NotRun = err.Error()
		}
		if b.path != nil {
			c.Path = *b.path
		}
		x.ID = record.ExperimentID(x)
		combinations = append(combinations, c)
	}
	return combinations
}

// read parses the settings of a combination; it reports all errors together.
func (b *copying) read(settings map[string]string, direction string) error {
	var wrong []string
	count := func(key string, to *int) {
		if text := settings[key]; text != "" {
			if n, err := strconv.Atoi(text); err != nil || n < 1 {
				wrong = append(wrong, key+": "+text+" is not a number from 1")
			} else {
				*to = n
			}
		}
	}
	b.streams = 1
	count("streams", &b.streams)
	count("threads", &b.threads)
	b.files = b.streams
	count("files", &b.files)
	b.amount = defaultAmount
	if text := settings["amount"]; text != "" {
		n, err := unit.ParseBytes(text)
		if err != nil || n < 1 {
			wrong = append(wrong, "amount: "+text+" is not a size such as 3.2GB")
		}
		b.amount = n
	}
	if b.files < b.streams {
		wrong = append(wrong,
			fmt.Sprintf("files: %d are less than the %d streams, each of which copies one at least", b.files, b.streams))
	}
	if int64(b.amount) < int64(b.files) {
		wrong = append(wrong, fmt.Sprintf("amount: %v are less than a byte for each of %d files", b.amount, b.files))
	}
	if b.streams > copies.MostStreams {
		wrong = append(wrong,
			fmt.Sprintf("streams: %d are above %d, the most that one host copies at once", b.streams, copies.MostStreams))
	}
	b.tool, b.cache = settings["tool"], cmp.Or(settings["cache"], copies.Cold)
	if names, _ := copies.Tools(); b.tool != "" && !slices.Contains(names, b.tool) {
		wrong = append(wrong, fmt.Sprintf("tool: %s is none of %s", b.tool, strings.Join(names, ", ")))
	}
	b.legs = map[string][][2]int{"out": {{0, 1}}, "in": {{1, 0}}, "both": {{0, 1}, {1, 0}}}[direction]
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// Check returns what is wrong with the settings of an experiment from the command line.
func Check(e *fabric.Experiment) (all []error) {
	for _, settings := range experiment.Product(e.Parameters) {
		b := &copying{}
		if err := b.read(settings, cmp.Or(settings["direction"], "out")); err != nil &&
			!slices.ContainsFunc(all, func(x error) bool { return x.Error() == err.Error() }) {
			all = append(all, err)
		}
	}
	return all
}
