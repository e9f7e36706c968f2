package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/run"
)

// checkMeasure reads what a command line of measure asks for, before any host is asked. All its mistakes come together.
func (e *env) checkMeasure(method string, f *measureFlags) (*fabric.Experiment, unit.BitRate, ends, error) {
	wrong := &e.wrong
	x, rate := f.experiment(method, wrong)
	at, err := f.ends()
	switch {
	case !errors.Is(err, errNoEnd):
	case slices.Contains(betweenHosts, method):
		err = fmt.Errorf(`%w: linerate measure %s HOST, or --to "ssh HOST", --to "netns NAME"`, err, method)
	default:
		err = nil // the word is no method, which is told: it may be the host
	}
	wrong.add(err)
	f.checkLoop(method, wrong)
	f.checkKept(wrong)
	if slices.Contains(f.given, "against") && method != "" {
		if other, err := f.otherSide(); err != nil {
			wrong.add(err)
		} else {
			var there mistakes
			other.experiment(method, &there)
			for _, err := range there.list {
				if !slices.ContainsFunc(wrong.list, func(here error) bool { return here.Error() == err.Error() }) {
					wrong.add(fmt.Errorf("--against: %w", err))
				}
			}
		}
	}
	e.endSecrets(at)
	return x, rate, at, wrong.err()
}

// experiment turns the flags into the experiment that a file would have.
func (f measureFlags) experiment(method string, wrong *mistakes) (*fabric.Experiment, unit.BitRate) {
	x := &fabric.Experiment{Name: method, Method: method, From: []string{"local"}, To: []string{"to"}}
	if at, err := f.ends(); err == nil {
		x.From, x.To = at.from, at.to
	}
	if !slices.Contains(betweenHosts, method) {
		wrong.add(notByHand(method))
		return x, 0
	}
	var rate unit.BitRate
	if f.rate != "" {
		var err error
		if rate, err = unit.ParseBitRate(f.rate); err == nil && rate <= 0 {
			err = errors.New("a link carries more than nothing; write the link's rate, such as 40G")
		}
		if err != nil {
			wrong.add(fmt.Errorf("--rate %s: %w", f.rate, err))
		}
	}
	if f.likeAnApplication {
		if f.copies != "" && f.copies != "both" {
			wrong.add(fmt.Errorf("--copies %s contradicts --like-an-application, which copies at both ends; leave one out", f.copies))
		}
		f.copies = "both"
	}
	add := func(key string, texts ...string) {
		if len(texts) == 0 || len(texts) == 1 && texts[0] == "" && !slices.Contains(f.given, key) {
			return
		}
		values, errs := fabric.Values(method, key, texts)
		for _, err := range errs {
			wrong.add(fmt.Errorf("--%s: %w", strings.ReplaceAll(key, "_", "-"), err))
		}
		x.Axes = append(x.Axes, fabric.Axis{Key: key, Values: values})
	}
	yes := map[bool]string{true: "true"}
	add("time", f.time)
	add("copies", f.copies)
	add("placement", f.placement)
	add("gather", f.gather)
	add("spin", yes[f.spin])
	add("size", f.sizes...)
	add("mtu", f.mtus...)
	add("transport", f.transports...)
	add("fragment", yes[f.fragment])
	add("pace", f.pace)
	add("pace_by", f.paceBy)
	add("amount", f.amount)
	add("source", f.source)
	add("pattern", f.patterns...)
	if method == "stream" && len(f.streams) == 0 {
		f.streams = []string{"1"}
	}
	if method == "stream" && len(f.directions) == 0 {
		f.directions = []string{"out", "in"}
	}
	if f.underLoad && len(f.loadStreams) == 0 {
		f.loadStreams = []string{loadStreams}
	}
	add("bit_error_rate", f.bitErrorRate)
	f.verbs.axes(method, wrong, add)
	add("every", f.every...)
	add("load_streams", f.loadStreams...)
	add("load_direction", f.loadDirections...)
	add("streams", f.streams...)
	add("direction", f.directions...)
	for _, text := range f.every {
		window := f.time
		if window == "" {
			window = run.DefaultWindow.String()
		}
		every, err := unit.ParseDuration(text)
		most, err2 := unit.ParseDuration(window)
		if err == nil && err2 == nil && every > most {
			wrong.add(fmt.Errorf("--every %s is above the window, --time %s: no question would be asked in it; ask more often, or measure longer", text, window))
		}
	}
	wrong.add(run.Supported(x))
	return x, rate
}

// notByHand says of a word that is no method of measure what is.
func notByHand(method string) error {
	if near := fabric.Nearest(method, byHand()); near != "" {
		return fmt.Errorf("measure %s: there is no such method; write %s", clean(method), near)
	}
	if slices.Contains(fabric.Methods(), method) {
		return fmt.Errorf("measure %s: it needs a fabric file, with an experiment of it: linerate run FABRIC.yaml; by hand are measured %s", method, strings.Join(byHand(), ", "))
	}
	return fmt.Errorf("measure %s: there is no such method; write one of %s", clean(method), strings.Join(byHand(), ", "))
}

// loadStreams is how many streams the load of --under-load has: one may not fill a fast link.
const loadStreams = "4"
