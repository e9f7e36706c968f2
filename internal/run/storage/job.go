package storage

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/run/experiment"
	"linerate/internal/storage/block"
)

// Defaults of storage.
const (
	defaultSize   = 4 * unit.KiB
	defaultWarmup = time.Second
)

// jobOf turns the settings of a combination into each worker's job; it reports all errors together. Numbers and sizes
// were checked before.
func jobOf(settings map[string]string) (block.Job, error) {
	j := block.Job{Pattern: cmp.Or(settings["access"], "random"), Read: 1, Depth: 1, Threads: 1,
		Size: defaultSize, Warmup: defaultWarmup, Seed: 1}
	var wrong []string
	bad := func(key, why string) { wrong = append(wrong, key+": "+settings[key]+" "+why) }
	if load := settings["load"]; load != "" {
		parts, ok := fabric.ParseBlockLoads(load)
		if !ok {
			return j, fmt.Errorf("load: %s is not a load such as SEQ1M-Q8T1", load)
		}
		keys := []string{"size", "depth", "threads", "access"}
		if parts[0].Read != "" {
			keys = append(keys, "read")
		}
		for _, key := range keys {
			if settings[key] != "" {
				wrong = append(wrong, fmt.Sprintf("load %s says %s itself; leave %s out", load, key, key))
			}
		}
		applyLoad(&j, parts[0], "")
	}
	count := func(key string, to *int) {
		if text := settings[key]; text != "" {
			if n, err := strconv.Atoi(text); err != nil || n < 1 {
				bad(key, "is not a number from 1")
			} else {
				*to = n
			}
		}
	}
	bytes := func(key string, to *unit.Bytes) {
		if text := settings[key]; text != "" {
			if n, err := unit.ParseBytes(text); err != nil || n < 1 {
				bad(key, "is not a size such as 4KiB")
			} else {
				*to = n
			}
		}
	}
	length := func(key string, to *time.Duration) {
		if text := settings[key]; text != "" {
			if d, err := unit.ParseDuration(text); err != nil {
				bad(key, "is not a time such as 5s")
			} else {
				*to = d
			}
		}
	}
	if settings["load"] == "" {
		count("depth", &j.Depth)
		count("threads", &j.Threads)
		bytes("size", &j.Size)
	}
	bytes("span", &j.Span)
	if bytes("amount", &j.Amount); j.Amount > 0 {
		j.Warmup = 0 // it counts from its first byte on
	}
	length("warmup", &j.Warmup)
	length("think", &j.Think)
	j.Steady = settings["steady"] == "true"
	if text := settings["limit"]; text != "" {
		if j.Rate = rateOf(text, j.Size); j.Rate <= 0 {
			bad("limit", "is not a rate such as 1000 (requests a second) or 200M (bits)")
		}
	}
	if text := settings["read"]; text != "" {
		share, err := unit.ParsePercent(text)
		if err != nil {
			bad("read", "is not a share such as 70%")
		}
		j.Read = share
	}
	if text := settings["seed"]; text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			bad("seed", "is not a number")
		}
		j.Seed = n
	}
	j.Cached, j.Sync, j.Verify = settings["cache"] == "through", settings["sync"] == "true", settings["verify"] == "true"
	j.OnError = settings["on_error"]
	if len(wrong) > 0 {
		return j, fmt.Errorf("%s", strings.Join(wrong, "; "))
	}
	return j, nil
}

// rateOf is a rate in operations of this size a second. The text is that, or bits a second. 0: it is neither.
func rateOf(text string, size unit.Bytes) float64 {
	if n, err := strconv.ParseUint(text, 10, 40); err == nil {
		return float64(n)
	}
	if r, err := unit.ParseBitRate(text); err == nil && size > 0 {
		return float64(r) / 8 / float64(size)
	}
	return 0
}

// applyLoad adds a load to a job, and a rate, whose requests have the load's size.
func applyLoad(j *block.Job, l fabric.BlockPart, rate string) {
	j.Size, j.Depth, j.Threads, j.Random = l.Size, l.Depth, l.Threads, 0
	switch {
	case l.Random == 0:
		j.Pattern = block.PatternSequential
	case l.Random == 1:
		j.Pattern = block.PatternRandom
	default:
		j.Pattern, j.Random = block.PatternMixed, l.Random
	}
	if rate != "" {
		j.Rate = rateOf(rate, j.Size)
	}
	if l.Read != "" {
		j.Read, _ = unit.ParsePercent(l.Read) // checked before
	}
}

// partsOf are the loads that a host runs at once under a combination's settings; nil: only one. Rates are of each.
func partsOf(settings map[string]string) []fabric.BlockPart {
	if parts, ok := fabric.ParseBlockLoads(settings["load"]); ok && len(parts) > 1 {
		return parts
	}
	return nil
}

// Check returns what is wrong with the settings of an experiment of method storage from the command line, each error
// once.
func Check(e *fabric.Experiment) (all []error) {
	add := func(text string) {
		if text != "" && !slices.ContainsFunc(all, func(err error) bool { return err.Error() == text }) {
			all = append(all, errors.New(text))
		}
	}
	combinations, _, why := expandProfiles(experiment.Product(e.Parameters), e, nil)
	add(why)
	for _, settings := range combinations {
		interval := settings["time"]
		delete(settings, "time")
		add(experiment.Unsupported(e, settings, experiment.Options{}))
		j, err := jobOf(settings)
		if err != nil {
			add(err.Error())
			continue
		}
		j.Target, j.Interval = "x", experiment.DefaultInterval // not known yet
		if d, err := unit.ParseDuration(interval); err == nil {
			j.Interval = d
		}
		for _, err := range j.Check() {
			add(err.Error())
		}
		for _, part := range partsOf(settings) {
			applyLoad(&j, part, settings["limit"])
			for _, err := range j.Check() {
				add(err.Error())
			}
		}
	}
	return all
}
