package job

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/cli/manual"
	"linerate/internal/record"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
)

// FlagsOfOthers are flags that the help of other flags names.
var FlagsOfOthers = []string{"seed", "repeats-at-most"}

// ScheduleFlags are the order of combinations and the number of repeats.
type ScheduleFlags struct {
	order, until string
	seed         uint64
	atMost       int
	samples      int
	target       float64 // until, as a share; 0: none
}

// Add adds the flags.
func (s *ScheduleFlags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&s.order, "order", "",
		"order of the measurements: file (the default), or by --seed random or balanced")
	flags.Uint64Var(&s.seed, "seed", 1, "number from which the random order is made")
	flags.StringVar(&s.until, "until", "",
		"repeat until the 95 % interval of the median is within, such as 2%")
	flags.IntVar(&s.samples, "samples", experiment.DefaultSamples,
		"readings of sockets, cores and counters a second, 0 to 100")
	flags.IntVar(&s.atMost, "repeats-at-most", experiment.MaxRepeats, "highest number of repeats with --until")
	for _, name := range FlagsOfOthers {
		manual.OnlyHere(flags, name) // the help of other flags names them
	}
}

// Check refuses contradictory flags, all of them, and parses the target.
func (s *ScheduleFlags) Check(wrong *cli.Errors) {
	wrong.Add(run.CheckOrder(s.order))
	if s.atMost < 1 || s.atMost > 1000 {
		wrong.Add(fmt.Errorf("--repeats-at-most %d: at least 1 and at most 1000", s.atMost))
	}
	if s.samples < 0 || s.samples > experiment.MaxSamples {
		wrong.Add(fmt.Errorf("--samples %d: from 0, for none, to %d a second", s.samples, experiment.MaxSamples))
	}
	if s.until == "" {
		return
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(s.until), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !percent || err != nil || !(v > 0 && v < 100) {
		wrong.Add(fmt.Errorf("--until %s: write a percentage between 0 and 100, such as 2%%", s.until))
		return
	}
	s.target = v / 100
	if s.atMost >= 1 && s.atMost < 6 {
		wrong.Add(errors.New("--until needs --repeats-at-most 6 or more: fewer repeats carry no 95 % interval"))
	}
}

// record is the schedule in the record of a run.
func (s ScheduleFlags) record() *record.Schedule {
	r := &record.Schedule{Order: s.order, Until: s.target, Samples: &s.samples}
	r.Order = cmp.Or(r.Order, run.FileOrder)
	if r.Order != run.FileOrder {
		r.Seed = s.seed
	}
	if s.target > 0 {
		r.AtMost = s.atMost
	}
	return r
}

// schedule sets the run's schedule in its combinations; a resumed run keeps its own.
func schedule(r *record.Run, combinations []*experiment.Combination) run.Schedule {
	s := r.Schedule
	if s == nil {
		return run.Schedule{All: combinations}
	}
	for _, c := range combinations {
		c.Until, c.AtMost = s.Until, s.AtMost
		if s.Samples != nil {
			c.Samples = *s.Samples
		}
	}
	return run.Schedule{Order: s.Order, Seed: s.Seed, All: combinations}
}

// announce prints the duration of the run before it begins.
func (j *Job) announce(cfgs []run.Config) {
	d, steps := run.Estimate(cfgs)
	if steps == 0 {
		return
	}
	about := "about"
	if s := j.Run.Schedule; s != nil && s.Until > 0 {
		about = "at least"
	}
	text := fmt.Sprintf("%s %s: %s", about, d.Round(time.Second), unit.Counted(steps, "repeat"))
	if s := j.Run.Schedule; s != nil && s.Order != run.FileOrder {
		text += fmt.Sprintf(", in %s order (seed %d)", s.Order, s.Seed)
	}
	text += ", done about " + time.Now().Add(d).Format("15:04")
	fmt.Fprintln(j.news(), text)
	for _, text := range run.Hints(cfgs) {
		fmt.Fprintln(j.news(), cli.Clean(text))
	}
	if text := j.writes(run.Writes(cfgs)); text != "" {
		fmt.Fprintln(j.news(), cli.Clean(text))
	}
	if text := j.touches(); text != "" {
		fmt.Fprintln(j.news(), cli.Clean(text))
	}
}

// writes describes how much a run writes to which drives and folders; empty: none is known.
func (j *Job) writes(all []experiment.Written) string {
	var places []string
	by := map[string]experiment.Written{}
	var sum experiment.Written
	for _, w := range all {
		place := w.Place
		if j.Run.FabricPath == "" { // linerate measure invents the names of its ends
			place = strings.TrimSuffix(w.Host+":"+w.Path, ":") // a folder of the program's own has no path
		}
		places = xslices.AppendNew(places, place)
		have := by[place]
		have.Bytes, have.For = have.Bytes+w.Bytes, have.For+w.For
		by[place] = have
		sum.Bytes, sum.For = sum.Bytes+w.Bytes, sum.For+w.For
	}
	much := func(w experiment.Written) string {
		var of []string
		if w.Bytes > 0 {
			of = append(of, "at most "+w.Bytes.String())
		}
		if w.For > 0 {
			of = append(of, "for "+w.For.Round(time.Second).String()+" as much as it takes")
		}
		return strings.Join(of, " and ")
	}
	const limit = 4
	switch n := len(places); {
	case n == 0:
		return ""
	case n > limit:
		return fmt.Sprintf("writes %s in all to %d places: %s and so on", much(sum), n, strings.Join(places[:limit], ", "))
	}
	parts := make([]string, len(places))
	for i, place := range places {
		parts[i] = much(by[place]) + " to " + place
	}
	return "writes " + strings.Join(parts, ", ")
}

// touches describes what a run writes and what it does not touch, as far as its methods tell; empty in a lab of its
// own.
func (j *Job) touches() string {
	if j.Flags.Lab != "" {
		return ""
	}
	var has []string
	for _, c := range j.Combinations {
		if c.Record.NotRun == "" && !slices.Contains(has, c.Record.Method) {
			has = append(has, c.Record.Method)
		}
	}
	switch {
	case slices.Contains(has, "app"):
		return "on the hosts: the commands of the method command do what they do; linerate itself changes no settings"
	case slices.Contains(has, method.Storage), slices.Contains(has, method.Copy):
		return "on the hosts: test files of its own, which are removed, and nothing that is there is written unless " +
			"--destroy names it; no settings are changed"
	case slices.Contains(has, method.Acceptance):
		return ""
	}
	return "on the hosts: no drive is written and no settings are changed"
}
