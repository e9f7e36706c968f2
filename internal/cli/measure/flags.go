package measure

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/fabric"
	"linerate/internal/run/experiment"
)

// checkMeasure parses a command line of measure, before any host is queried. It reports all errors together.
func checkMeasure(e *cli.Env, of string, f *Flags) (*fabric.Experiment, unit.BitRate, inventory.Ends, error) {
	wrong := &e.Errors
	x, rate := f.experiment(of, wrong)
	at, err := f.Ends()
	switch {
	case !errors.Is(err, inventory.ErrNoEnd):
	case method.SharesFlags(of):
		err = &cli.Advice{ID: diag.ArgumentMissing, Text: err.Error(),
			Help: []string{fmt.Sprintf("write linerate measure %s HOST", of), `or --to "ssh HOST", --to "netns NAME"`}}
	default:
		err = nil // that it is not a method is reported; it may be the host
	}
	wrong.Add(err)
	f.checkLoop(of, wrong)
	f.checkKept(wrong)
	if slices.Contains(f.Given, "compare-with") && of != "" {
		if other, err := f.otherSide(); err != nil {
			wrong.Add(err)
		} else {
			var there cli.Errors
			other.experiment(of, &there)
			for _, err := range there.List {
				if !slices.ContainsFunc(wrong.List, func(here error) bool { return here.Error() == err.Error() }) {
					wrong.Add(fmt.Errorf("--compare-with: %w", err))
				}
			}
		}
	}
	endSecrets(e, at)
	return x, rate, at, wrong.Err()
}

// experiment turns the flags into an experiment as in a file.
func (f Flags) experiment(of string, wrong *cli.Errors) (*fabric.Experiment, unit.BitRate) {
	x := &fabric.Experiment{Name: of, Method: of, From: []string{"local"}, To: []string{"to"}}
	if at, err := f.Ends(); err == nil {
		x.From, x.To = at.From, at.To
	}
	if !method.SharesFlags(of) {
		wrong.Add(notByHand(of))
		return x, 0
	}
	var rate unit.BitRate
	if f.link != "" {
		var err error
		if rate, err = LinkRate(f.link); err != nil {
			wrong.Add(err)
		}
	}
	settings := f.Settings
	if f.likeAnApplication {
		if copies := settings.Text("copy_mode"); copies != "" && copies != "both" {
			wrong.Add(
				cli.Advise(
					fmt.Errorf("--copy-mode %s contradicts --like-an-application, which copies at both ends", copies),
					"omit one"))
		}
		settings = settings.With("copy_mode", "both")
	}
	if f.underLoad && len(settings.Texts("load_streams")) == 0 {
		settings = settings.With("load_streams", loadStreams)
	}
	parameters, errs := settings.Parameters(of, f.Given)
	x.Parameters = parameters
	for _, err := range errs {
		wrong.Add(err)
	}
	for _, text := range settings.Texts("every") {
		interval := settings.Text("time")
		if interval == "" {
			interval = experiment.DefaultInterval.String()
		}
		every, err := unit.ParseDuration(text)
		most, err2 := unit.ParseDuration(interval)
		if err == nil && err2 == nil && every > most {
			wrong.Add(cli.Advise(
				fmt.Errorf("--every %s is above the interval, --time %s: no question would be asked in it", text, interval),
				"ask more often, or measure longer"))
		}
	}
	wrong.Add(experiment.Supported(x))
	return x, rate
}

// notByHand is the error for a word that is not a method of measure.
func notByHand(of string) error {
	if near := fabric.MeantMethod(of); slices.Contains(ByHand(), near) {
		return &cli.Advice{ID: diag.ValueUnknown, Text: fmt.Sprintf("unknown method %q", of),
			Help: []string{"write linerate measure " + near}}
	}
	if slices.Contains(fabric.Methods(), of) {
		return cli.Advise(fmt.Errorf("measure %s: it needs a fabric file, with an experiment of it: linerate run "+
			"FABRIC.yaml", of)).Note(fmt.Sprintf("by hand are measured %s", strings.Join(ByHand(), ", ")))
	}
	return &cli.Advice{ID: diag.ValueUnknown, Text: fmt.Sprintf("unknown method %q", of),
		Help: []string{"write one of " + strings.Join(ByHand(), ", ")}}
}

// loadStreams is the number of streams of --under-load: one may not fill a fast link.
const loadStreams = "4"

// LinkRate reads the value of --link.
func LinkRate(text string) (unit.BitRate, error) {
	rate, err := unit.ParseBitRate(text)
	if err == nil && rate <= 0 {
		err = cli.Advise(errors.New("a link carries more than nothing"), "write the link's rate, such as 40G")
	}
	if err != nil {
		return 0, fmt.Errorf("--link %s: %w", text, err)
	}
	return rate, nil
}
