package run

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/storage/block"
)

// What block does where nobody says.
const (
	blockSize   = 4 * unit.KiB
	blockWarmup = time.Second
)

// blockProfile is a named set of loads.
type blockProfile struct {
	name  string
	about string
	// loads are cells in this order, each for every share of reads.
	loads []string // those that say their shares themselves are one each
	reads []string
	// settings that it has where nobody says otherwise.
	settings map[string]string
	repeats  int
}

// blockProfiles is the table. cdm and cdm-nvme are CrystalDiskMark 9's default and NVMe rows: reads, then writes, of a file of 1 GiB that does not compress, 5 s each without warm-up.
func blockProfiles() []blockProfile {
	cdm := map[string]string{"time": "5s", "warmup": "0s", "span": "1GiB"}
	both := []string{"100%", "0%"}
	return []blockProfile{
		{name: "cdm", about: "CrystalDiskMark's default rows", loads: []string{"SEQ1M-Q8T1", "SEQ1M-Q1T1", "RND4K-Q32T1", "RND4K-Q1T1"}, reads: both, settings: cdm, repeats: 3},
		{name: "cdm-nvme", about: "CrystalDiskMark's rows for NVMe drives", loads: []string{"SEQ1M-Q8T1", "SEQ128K-Q32T1", "RND4K-Q32T16", "RND4K-Q1T1"}, reads: both, settings: cdm, repeats: 3},
		{name: "quick", about: "the two ends of what storage does: large blocks one after another, small ones at random", loads: []string{"SEQ1M-Q8T1", "RND4K-Q32T1", "RND4K-Q1T1"},
			reads: []string{"100%"}, settings: map[string]string{"time": "2s", "warmup": "500ms", "span": "256MiB"}, repeats: 1},
		{name: "block-grid", about: "blocks of 512 B to 1 MiB, reading, half and writing, at two depths", loads: gridLoads(), reads: []string{"100%", "50%", "0%"},
			settings: map[string]string{"time": "5s", "span": "1GiB"}, repeats: 3},
		{name: "peak", about: "VMFleet's Peak: 4 KiB reads at random at depth 32", loads: []string{peakLoad}, reads: []string{"100%"}, settings: map[string]string{"span": "5GiB"}, repeats: 3},
		{name: "general", about: "VMFleet's General: 4 KiB, half at random, at depth 32, writing 0, 10 and 30 %", loads: []string{"MIX50-4K-Q32T1"}, reads: []string{"100%", "90%", "70%"}, repeats: 3},
		{name: "vdi", about: "VMFleet's VDI: reads of 8 KiB beside writes of 32 KiB, at depth 8", loads: []string{vdiLoad}, repeats: 3},
		{name: "sql", about: "VMFleet's SQL: 8 KiB at random, writing 30 %, beside a log written in sequence", loads: []string{sqlLoad}, repeats: 3},
		{name: "vmfleet", about: "VMFleet's four: general, peak, vdi, sql (8 KiB beside a log in sequence), which are profiles by themselves, too", loads: []string{"MIX50-4K-Q32T1:100%", "MIX50-4K-Q32T1:90%", "MIX50-4K-Q32T1:70%", peakLoad + ":100%", vdiLoad, sqlLoad}, repeats: 3},
		{name: "steady", about: "until the steady state holds, 2 minutes at most: 4 KiB at random and 1 MiB in sequence", loads: []string{"RND4K-Q32T1", "SEQ1M-Q8T1"}, reads: both,
			settings: map[string]string{"steady": "true", "time": "2m", "span": "1GiB"}, repeats: 1},
	}
}

// What VMFleet's Measure-FleetCoreWorkload has its virtual machines do (github.com/microsoft/diskspd, Frameworks/VMFleet): of VDI 80 % of the reads and 20 % of the writes are at random, all others in sequence.
const (
	peakLoad = "RND4K-Q32T1"
	vdiLoad  = "MIX80-8K-Q8T1:100%+MIX20-32K-Q8T1:0%"
	sqlLoad  = "RND8K-Q32T1:70%+SEQ32K-Q1T1:0%"
)

func gridLoads() (out []string) {
	for _, size := range []string{"512B", "1K", "2K", "4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M"} {
		out = append(out, "RND"+size+"-Q1T1", "RND"+size+"-Q32T1")
	}
	return out
}

// BlockProfiles are the names of the profiles with what each is, for help.
func BlockProfiles() (names []string, about map[string]string) {
	about = map[string]string{}
	for _, p := range blockProfiles() {
		names = append(names, p.name)
		about[p.name] = p.about
	}
	return names, about
}

// profiled gives every combination of the axes the loads of its profile.
func profiled(all []map[string]string, e *fabric.Experiment, own []*fabric.Profile) (out []map[string]string, repeat int, why string) {
	asked := len(e.Axis("read")) > 0
	done := map[string]bool{}
	for _, settings := range all {
		name := settings["profile"]
		if name == "" {
			out = append(out, settings)
			continue
		}
		p, ok := profileOf(name, own)
		if !ok {
			names, _ := BlockProfiles()
			for _, o := range own {
				names = append(names, o.Name)
			}
			return nil, 0, fmt.Sprintf("profile: %s is none of %s", name, strings.Join(names, ", "))
		}
		if settings["load"] != "" || settings["size"] != "" || settings["depth"] != "" || settings["threads"] != "" || settings["pattern"] != "" {
			return nil, 0, fmt.Sprintf("profile: %s says blocks, depth and threads itself; leave load, size, pattern, depth and threads out", name)
		}
		reads := p.reads
		if asked {
			reads = []string{settings["read"]}
		}
		repeat = max(repeat, p.repeats)
		for _, load := range p.loads {
			shares := reads
			if strings.Contains(load, ":") {
				if shares = []string{""}; asked {
					return nil, 0, fmt.Sprintf("profile: %s says the share of reads itself (%s); leave read out", name, load)
				}
			}
			for _, read := range shares {
				one := maps.Clone(settings)
				for k, v := range p.settings {
					one[k] = cmp.Or(one[k], v)
				}
				if one["load"], one["read"] = load, read; read == "" {
					delete(one, "read")
				}
				if key := fmt.Sprint(one); !done[key] {
					done[key] = true
					out = append(out, one)
				}
			}
		}
	}
	return out, repeat, ""
}

// profileOf finds one among those of the file and the built-in ones.
func profileOf(name string, own []*fabric.Profile) (blockProfile, bool) {
	for _, p := range own {
		if p.Name == name {
			out := blockProfile{name: name, loads: p.Loads, reads: p.Reads, settings: p.Settings, repeats: p.Repeats}
			if len(out.reads) == 0 {
				out.reads = []string{"100%"}
			}
			return out, true
		}
	}
	for _, p := range blockProfiles() {
		if p.name == name {
			return p, true
		}
	}
	return blockProfile{}, false
}

// blockJob turns the settings of a cell into what each worker is asked for; all that is wrong with them comes together. Numbers and sizes were read before.
func blockJob(settings map[string]string) (block.Job, error) {
	j := block.Job{Pattern: cmp.Or(settings["pattern"], "random"), Read: 1, Depth: 1, Threads: 1, Size: blockSize, Warmup: blockWarmup, Seed: 1}
	var wrong []string
	bad := func(key, why string) { wrong = append(wrong, key+": "+settings[key]+" "+why) }
	if load := settings["load"]; load != "" {
		parts, ok := fabric.ParseBlockLoads(load)
		if !ok {
			return j, fmt.Errorf("load: %s is no load such as SEQ1M-Q8T1", load)
		}
		said := []string{"size", "depth", "threads", "pattern"}
		if parts[0].Read != "" {
			said = append(said, "read")
		}
		for _, key := range said {
			if settings[key] != "" {
				wrong = append(wrong, fmt.Sprintf("load %s says %s itself; leave %s out", load, key, key))
			}
		}
		takeLoad(&j, parts[0], "")
	}
	count := func(key string, to *int) {
		if text := settings[key]; text != "" {
			if n, err := strconv.Atoi(text); err != nil || n < 1 {
				bad(key, "is no number from 1")
			} else {
				*to = n
			}
		}
	}
	bytes := func(key string, to *unit.Bytes) {
		if text := settings[key]; text != "" {
			if n, err := unit.ParseBytes(text); err != nil || n < 1 {
				bad(key, "is no size such as 4KiB")
			} else {
				*to = n
			}
		}
	}
	length := func(key string, to *time.Duration) {
		if text := settings[key]; text != "" {
			if d, err := unit.ParseDuration(text); err != nil {
				bad(key, "is no time such as 5s")
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
	if text := settings["rate"]; text != "" {
		if j.Rate = blockRate(text, j.Size); j.Rate <= 0 {
			bad("rate", "is no rate such as 1000 (requests a second) or 200M (bits)")
		}
	}
	if text := settings["read"]; text != "" {
		share, err := unit.ParsePercent(text)
		if err != nil {
			bad("read", "is no share such as 70%")
		}
		j.Read = share
	}
	if text := settings["seed"]; text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			bad("seed", "is no number")
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

// blockRate is a rate in operations of this size a second: it is written as such, or as bits a second. 0: it is neither.
func blockRate(text string, size unit.Bytes) float64 {
	if n, err := strconv.ParseUint(text, 10, 40); err == nil {
		return float64(n)
	}
	if r, err := unit.ParseBitRate(text); err == nil && size > 0 {
		return float64(r) / 8 / float64(size)
	}
	return 0
}

// takeLoad gives a job what a load says, and a rate, whose requests are of the load's size.
func takeLoad(j *block.Job, l fabric.BlockPart, rate string) {
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
		j.Rate = blockRate(rate, j.Size)
	}
	if l.Read != "" {
		j.Read, _ = unit.ParsePercent(l.Read) // read before
	}
}

// blockParts are the loads that a host has at once under a cell's settings; nil: one alone. Rates are of each.
func blockParts(settings map[string]string) []fabric.BlockPart {
	if parts, ok := fabric.ParseBlockLoads(settings["load"]); ok && len(parts) > 1 {
		return parts
	}
	return nil
}

// CheckBlock is what is wrong with the settings of an experiment of block made by hand: each once.
func CheckBlock(e *fabric.Experiment) (all []error) {
	add := func(text string) {
		if text != "" && !slices.ContainsFunc(all, func(err error) bool { return err.Error() == text }) {
			all = append(all, errors.New(text))
		}
	}
	cells, _, why := profiled(product(e.Axes), e, nil)
	add(why)
	for _, settings := range cells {
		window := settings["time"]
		delete(settings, "time")
		add(unsupported(e, settings, Options{}))
		j, err := blockJob(settings)
		if err != nil {
			add(err.Error())
			continue
		}
		j.Target, j.Window = "x", DefaultWindow // they are not known yet
		if d, err := unit.ParseDuration(window); err == nil {
			j.Window = d
		}
		for _, err := range j.Check() {
			add(err.Error())
		}
		for _, part := range blockParts(settings) {
			takeLoad(&j, part, settings["rate"])
			for _, err := range j.Check() {
				add(err.Error())
			}
		}
	}
	return all
}
