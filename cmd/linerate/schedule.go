package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"linerate/internal/cli/manual"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/run"
)

// flagsOfOthers are flags that the flags which they belong to name.
var flagsOfOthers = []string{"seed", "repeats-at-most"}

// scheduleFlags say in which order and how often cells are measured.
type scheduleFlags struct {
	order, until string
	seed         uint64
	atMost       int
	samples      int
	target       float64 // until, as a share; 0: none
}

func (s *scheduleFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&s.order, "order", "", "of the measurements: file, or by --seed (1) random or balanced (default file)")
	flags.Uint64Var(&s.seed, "seed", 1, "of a random or balanced order")
	flags.StringVar(&s.until, "until", "", "repeat until the 95 % interval of the median is within this share of it on both sides, such as 2%; at most --repeats-at-most times (20)")
	flags.IntVar(&s.samples, "samples", run.DefaultSamples, "readings a second of sockets, cores and counters at both ends, at most 100; 0: none")
	flags.IntVar(&s.atMost, "repeats-at-most", run.MostRepeats, "with --until: repeats at most")
	for _, name := range flagsOfOthers {
		manual.OnlyHere(flags, name) // the flags that they belong to have them
	}
}

// check refuses what cannot be meant, all of it, and reads the target.
func (s *scheduleFlags) check(wrong *mistakes) {
	wrong.add(run.CheckOrder(s.order))
	if s.atMost < 1 || s.atMost > 1000 {
		wrong.add(fmt.Errorf("--repeats-at-most %d: at least 1 and at most 1000", s.atMost))
	}
	if s.samples < 0 || s.samples > run.MostSamples {
		wrong.add(fmt.Errorf("--samples %d: from 0, for none, to %d a second", s.samples, run.MostSamples))
	}
	if s.until == "" {
		return
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(s.until), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !percent || err != nil || !(v > 0 && v < 100) {
		wrong.add(fmt.Errorf("--until %s: write a percentage between 0 and 100, such as 2%%", s.until))
		return
	}
	s.target = v / 100
	if s.atMost >= 1 && s.atMost < 6 {
		wrong.add(errors.New("--until needs --repeats-at-most 6 or more: fewer repeats carry no 95 % interval"))
	}
}

// record is what the run keeps of it.
func (s scheduleFlags) record() *record.Schedule {
	r := &record.Schedule{Order: s.order, Until: s.target, Samples: &s.samples}
	if r.Order == "" {
		r.Order = run.FileOrder
	}
	if r.Order != run.FileOrder {
		r.Seed = s.seed
	}
	if s.target > 0 {
		r.AtMost = s.atMost
	}
	return r
}

// schedule puts the run's schedule into its cells; that of a resumed run stays
// what it was.
func schedule(r *record.Run, cells []*run.Cell) run.Schedule {
	s := r.Schedule
	if s == nil {
		return run.Schedule{All: cells}
	}
	for _, c := range cells {
		c.Until, c.AtMost = s.Until, s.AtMost
		if s.Samples != nil {
			c.Samples = *s.Samples
		}
	}
	return run.Schedule{Order: s.Order, Seed: s.Seed, All: cells}
}

// announce prints how long the run will take before it begins.
func (j *job) announce(cfgs []run.Config) {
	d, steps := run.Estimate(cfgs)
	if steps == 0 {
		return
	}
	about := "about"
	if s := j.run.Schedule; s != nil && s.Until > 0 {
		about = "at least"
	}
	text := fmt.Sprintf("%s %s: %s", about, d.Round(time.Second), report.Count(steps, "repeat"))
	if s := j.run.Schedule; s != nil && s.Order != run.FileOrder {
		text += fmt.Sprintf(", in %s order (seed %d)", s.Order, s.Seed)
	}
	text += ", done about " + time.Now().Add(d).Format("15:04")
	fmt.Fprintln(j.news(), text)
	if text := j.writes(run.Writes(cfgs)); text != "" {
		fmt.Fprintln(j.news(), clean(text))
	}
	if text := j.touches(); text != "" {
		fmt.Fprintln(j.news(), clean(text))
	}
}

// writes says how much a run writes to which drives and folders; empty: to none that is known.
func (j *job) writes(all []run.Written) string {
	var places []string
	by := map[string]run.Written{}
	var sum run.Written
	for _, w := range all {
		place := w.Place
		if j.run.FabricPath == "" { // what measure calls its ends, nobody typed
			place = strings.TrimSuffix(w.Host+":"+w.Path, ":") // a folder of the program's own has no path that was given
		}
		if !slices.Contains(places, place) {
			places = append(places, place)
		}
		have := by[place]
		have.Bytes, have.For = have.Bytes+w.Bytes, have.For+w.For
		by[place] = have
		sum.Bytes, sum.For = sum.Bytes+w.Bytes, sum.For+w.For
	}
	much := func(w run.Written) string {
		var of []string
		if w.Bytes > 0 {
			of = append(of, "at most "+w.Bytes.String())
		}
		if w.For > 0 {
			of = append(of, "for "+w.For.Round(time.Second).String()+" as much as it takes")
		}
		return strings.Join(of, " and ")
	}
	const most = 4
	switch n := len(places); {
	case n == 0:
		return ""
	case n > most:
		return fmt.Sprintf("writes %s in all to %d places: %s and so on", much(sum), n, strings.Join(places[:most], ", "))
	}
	parts := make([]string, len(places))
	for i, place := range places {
		parts[i] = much(by[place]) + " to " + place
	}
	return "writes " + strings.Join(parts, ", ")
}

// touches says what a run writes and what it leaves alone, as far as its methods tell; empty where it takes a lab, which is its own.
func (j *job) touches() string {
	if j.flags.lab != "" {
		return ""
	}
	var has []string
	for _, c := range j.cells {
		if c.Exp.NotRun == "" && !slices.Contains(has, c.Exp.Method) {
			has = append(has, c.Exp.Method)
		}
	}
	switch {
	case slices.Contains(has, "app"):
		return "on the hosts: the commands of the method app do what they do; linerate itself changes no settings"
	case slices.Contains(has, run.Block), slices.Contains(has, run.Copy):
		return "on the hosts: test files of its own, which are removed, and nothing that is there is written unless --destroy names it; no settings are changed"
	case slices.Contains(has, run.Acceptance):
		return ""
	}
	return "on the hosts: no drive is written and no settings are changed"
}
