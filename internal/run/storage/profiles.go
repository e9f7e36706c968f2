package storage

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
)

// profile is a named set of loads.
type profile struct {
	name  string
	about string
	// loads are combinations in this order, each for every share of reads; a load with its own share is one.
	loads []string
	reads []string
	// settings are the profile's defaults.
	settings map[string]string
	repeats  int
}

// profiles is the table. cdm and cdm-nvme are CrystalDiskMark 9's default and NVMe rows: reads, then writes, of an
// incompressible file of 1 GiB, 5 s each without warm-up.
func profiles() []profile {
	cdm := map[string]string{"time": "5s", "warmup": "0s", "span": "1GiB"}
	both := []string{"100%", "0%"}
	return []profile{
		{name: "cdm", about: "CrystalDiskMark's default rows",
			loads: []string{"SEQ1M-Q8T1", "SEQ1M-Q1T1", "RND4K-Q32T1", "RND4K-Q1T1"}, reads: both, settings: cdm, repeats: 3},
		{name: "cdm-nvme", about: "CrystalDiskMark's rows for NVMe drives",
			loads: []string{"SEQ1M-Q8T1", "SEQ128K-Q32T1", "RND4K-Q32T16", "RND4K-Q1T1"}, reads: both, settings: cdm,
			repeats: 3},
		{name: "quick", about: "the two ends of what storage does: large blocks one after another, small ones at random",
			loads: []string{"SEQ1M-Q8T1", "RND4K-Q32T1", "RND4K-Q1T1"}, reads: []string{"100%"},
			settings: map[string]string{"time": "2s", "warmup": "500ms", "span": "256MiB"}, repeats: 1},
		{name: "block-grid", about: "blocks of 512 B to 1 MiB, reading, half and writing, at two depths", loads: gridLoads(),
			reads: []string{"100%", "50%", "0%"}, settings: map[string]string{"time": "5s", "span": "1GiB"}, repeats: 3},
		{name: "peak", about: "VMFleet's Peak: 4 KiB reads at random at depth 32", loads: []string{peakLoad},
			reads: []string{"100%"}, settings: map[string]string{"span": "5GiB"}, repeats: 3},
		{name: "general", about: "VMFleet's General: 4 KiB, half at random, at depth 32, writing 0, 10 and 30 %",
			loads: []string{"MIX50-4K-Q32T1"}, reads: []string{"100%", "90%", "70%"}, repeats: 3},
		{name: "vdi", about: "VMFleet's VDI: reads of 8 KiB next to writes of 32 KiB, at depth 8",
			loads: []string{vdiLoad}, repeats: 3},
		{name: "sql", about: "VMFleet's SQL: 8 KiB at random, writing 30 %, next to a log written in sequence",
			loads: []string{sqlLoad}, repeats: 3},
		{
			name: "vmfleet",
			about: "VMFleet's four: general, peak, vdi, sql (8 KiB next to a log in sequence), which are profiles by " +
				"themselves, too",
			loads: []string{"MIX50-4K-Q32T1:100%", "MIX50-4K-Q32T1:90%", "MIX50-4K-Q32T1:70%", peakLoad + ":100%", vdiLoad,
				sqlLoad},
			repeats: 3,
		},
		{name: "steady", about: "until the steady state holds, 2 minutes at most: 4 KiB at random and 1 MiB in sequence",
			loads: []string{"RND4K-Q32T1", "SEQ1M-Q8T1"}, reads: both,
			settings: map[string]string{"steady": "true", "time": "2m", "span": "1GiB"}, repeats: 1},
	}
}

// Loads of the virtual machines of VMFleet's Measure-FleetCoreWorkload (github.com/microsoft/diskspd,
// Frameworks/VMFleet): with VDI 80 % of the reads and 20 % of the writes are random, all others sequential.
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

// Profiles are the names of the profiles with descriptions, for help.
func Profiles() (names []string, about map[string]string) {
	about = map[string]string{}
	for _, p := range profiles() {
		names = append(names, p.name)
		about[p.name] = p.about
	}
	return names, about
}

// expandProfiles combines every combination of the parameters with the loads of its profile.
func expandProfiles(all []map[string]string, e *fabric.Experiment,
	own []*fabric.Profile) (out []map[string]string, repeat int, why string) {
	hasRead := len(e.Parameter("read")) > 0
	done := map[string]bool{}
	for _, settings := range all {
		name := settings["profile"]
		if name == "" {
			out = append(out, settings)
			continue
		}
		p, ok := profileOf(name, own)
		if !ok {
			names, _ := Profiles()
			for _, o := range own {
				names = append(names, o.Name)
			}
			return nil, 0, fmt.Sprintf("profile: %s is none of %s", name, strings.Join(names, ", "))
		}
		if settings["load"] != "" || settings["size"] != "" || settings["depth"] != "" || settings["threads"] != "" ||
			settings["access"] != "" {
			return nil, 0, fmt.Sprintf(
				"profile: %s says blocks, depth and threads itself; leave load, size, pattern, depth and threads out", name)
		}
		reads := p.reads
		if hasRead {
			reads = []string{settings["read"]}
		}
		repeat = max(repeat, p.repeats)
		for _, load := range p.loads {
			shares := reads
			if strings.Contains(load, ":") {
				if shares = []string{""}; hasRead {
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

// profileOf finds a profile of the file or a built-in one.
func profileOf(name string, own []*fabric.Profile) (profile, bool) {
	for _, p := range own {
		if p.Name == name {
			out := profile{name: name, loads: p.Loads, reads: p.Reads, settings: p.Settings, repeats: p.Repeats}
			if len(out.reads) == 0 {
				out.reads = []string{"100%"}
			}
			return out, true
		}
	}
	return xslices.Find(profiles(), func(p profile) bool { return p.name == name })
}
