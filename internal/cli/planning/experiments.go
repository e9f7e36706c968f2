package planning

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/survey"
	"linerate/internal/report/format"
	"linerate/internal/report/summary"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
)

// mostPaired is the number of hosts up to which a new file tests every pair: half an hour. The time grows with the
// square of the hosts.
const mostPaired = 8

// everyPair is the name of the variant, and of its experiment, that tests every pair of many hosts.
const everyPair = "every-pair"

// mostListed is the number of hosts up to which a file can list every pair with two numbers of streams: 20,000
// combinations.
const mostListed = 100

// mostFlows is the largest number of flows of one host.
const mostFlows = 60

// draftedFile writes the draft as a fabric file and reads it back. sampled says what is tested in place of every pair;
// empty: every pair is.
func draftedFile(path string, d *survey.Draft, catalog *catalog.Catalog, when time.Time) (
	text []byte, f *fabric.Fabric, sampled string, err error) {
	test := firstExperiments(d)
	parse := func(variant string) (*fabric.Fabric, error) {
		read, problems := fabric.Parse(path, d.Write(when, test), fabric.Options{Catalog: catalog, Variant: variant})
		if len(problems) > 0 {
			return nil, fmt.Errorf("what was drafted is not a fabric file, which is a fault of linerate: %w", problems)
		}
		return read, nil
	}
	if len(test.More) > 0 {
		whole, err := parse(test.Variant)
		if err != nil {
			return nil, nil, "", err
		}
		p := plan.Build(whole)
		pairs, err := run.Combinations(p, experiment.Options{Only: []string{everyPair}})
		if err != nil {
			return nil, nil, "", err
		}
		long, _ := run.Estimate([]run.Config{{Plan: p, Combinations: pairs}})
		test.Why = append(test.Why, fmt.Sprintf("every pair takes about %s: %s", about(long),
			format.Command([]string{"linerate", "run", path, "--variant", everyPair, "--experiments", everyPair})))
	}
	f, err = parse("")
	return d.Write(when, test), f, strings.Join(test.Why, "; "), err
}

// about is a long time in whole hours, from two hours on, or in minutes.
func about(d time.Duration) string {
	if d >= 2*time.Hour {
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// firstExperiments are those of a new file: for two machines the figures of a summary, for more the throughput of every
// pair. For many hosts it is every host with one other, in a number of tests that does not grow with the square of the
// hosts: where one network has all of them and their names are a range, all pairs at once, else one after another.
func firstExperiments(d *survey.Draft) survey.Experiments {
	var names []string
	for _, h := range d.Hosts {
		if slices.ContainsFunc(d.Nets, func(n *survey.Net) bool {
			return slices.ContainsFunc(n.Ends, func(end *survey.End) bool { return end.Host == h })
		}) {
			names = append(names, h.Name)
		}
	}
	if len(names) == 2 {
		return survey.Experiments{List: d.Over(summary.Experiments(summary.Wanted{From: names[0], To: names[1]}))}
	}
	joined := slices.IndexFunc(d.Nets, func(n *survey.Net) bool { return len(n.Ends) == len(names) })
	if joined >= 0 {
		names = endsOf(d, d.Nets[joined])
	}
	every := &fabric.Experiment{Name: "line-rate", Method: method.Throughput, From: names, To: names,
		Parameters: []fabric.Parameter{streams()}}
	if len(names) <= mostPaired {
		return survey.Experiments{List: []*fabric.Experiment{every, latency("latency", names)}}
	}
	test := survey.Experiments{}
	if joined >= 0 && isRange(names) {
		test = atOnce(names)
	} else {
		test = fromFirst(d, len(names))
	}
	if len(names) <= mostListed {
		every.Name = everyPair
		test.Variant, test.More = everyPair, []*fabric.Experiment{every}
	}
	return test
}

func streams() fabric.Parameter { return fabric.Parameter{Key: "streams", Values: []string{"1", "8"}} }

func directions() fabric.Parameter {
	return fabric.Parameter{Key: "direction", Values: []string{"out", "in"}}
}

// latency measures the latency from the first host to others, to a few of many: one after another, as it needs idle
// links.
func latency(name string, ends []string) *fabric.Experiment {
	return &fabric.Experiment{Name: name, Method: method.Latency, From: ends[:1],
		To: ends[1:min(len(ends), 1+mostPaired)]}
}

// fromFirst tests in each network all hosts with its first one, one after another.
func fromFirst(d *survey.Draft, hosts int) survey.Experiments {
	test := survey.Experiments{Why: []string{
		fmt.Sprintf("%d hosts: each is tested with the first one of its network", hosts)}}
	for i, n := range d.Nets {
		ends, name := endsOf(d, n), ""
		if len(d.Nets) > 1 {
			name = fmt.Sprintf("-net%d", i+1)
		}
		test.List = append(test.List,
			&fabric.Experiment{Name: "line-rate" + name, Method: method.Throughput, From: ends[:1], To: ends[1:],
				Parameters: []fabric.Parameter{streams(), directions()}},
			latency("latency"+name, ends))
	}
	return test
}

// atOnce tests the first half of the hosts with the second half, all pairs at once, and then all with the first host.
func atOnce(ends []string) survey.Experiments {
	half := (len(ends) + 1) / 2 // of an odd number the middle host is in both halves: it sends to one, and one to it
	from, to := []string{fabric.Compact(ends[:half])}, []string{fabric.Compact(ends[len(ends)-half:])}
	pairs := fabric.Parameter{Key: "traffic", Values: []string{fabric.Pairs}}
	test := survey.Experiments{
		Why: []string{fmt.Sprintf("%d hosts: %d pairs are tested at once, so that each host takes part", len(ends), half)},
		List: []*fabric.Experiment{
			{Name: "line-rate", Method: method.Throughput, From: from, To: to,
				Parameters: []fabric.Parameter{pairs, streams(), directions()}},
			latency("latency", ends),
		}}
	if len(ends)-1 <= mostFlows {
		test.List = append(test.List, &fabric.Experiment{Name: "incast", Method: method.Throughput,
			From: []string{fabric.Compact(ends[1:])}, To: ends[:1],
			Parameters: []fabric.Parameter{{Key: "traffic", Values: []string{fabric.Incast}}}})
	}
	return test
}

// isRange reports whether names are one range of the file, also without the first one.
func isRange(names []string) bool { return !strings.Contains(fabric.Compact(names), ",") }

// endsOf returns the hosts of a network; where there are several networks, with the port that is in this one, because
// there may be several paths between two hosts.
func endsOf(d *survey.Draft, n *survey.Net) []string {
	return xslices.Map(n.Ends, func(e *survey.End) string {
		if len(d.Nets) > 1 {
			return e.Host.Name + "." + e.Port
		}
		return e.Host.Name
	})
}
