package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"linerate/internal/run"
)

// verbsFlags are the flags of measure that are of verbs alone, by the key that the fabric file has for them.
type verbsFlags map[string]*[]string

// ofVerbs is what each key asks for.
var ofVerbs = []struct{ key, about string }{
	{"op", "of verbs: write (the default), read, send"},
	{"metric", "of verbs: latency (the default), goodput"},
	{"pairs", "of verbs: pairs of threads at once, each on a core of its own, such as 1,2,4,8"},
	{"depth", "of verbs: requests under way in a pair (default 128, and at most 1 MiB)"},
	{"inline", "of verbs: bytes up to which a request has its payload in itself; 0: none (default 220, or what the device takes)"},
	{"signal", "of verbs: requests to one completion (default: as many as make 64 KiB, at most 64)"},
	{"batch", "of verbs: requests to one doorbell (default 1)"},
	{"service", "of verbs: rc (the default) or ud, which sends datagrams up to the path's MTU"},
	{"path_mtu", "of verbs: 256, 512, 1024, 2048 or 4096 (default: the port's)"},
	{"service_level", "of verbs over InfiniBand: 0 to 15"},
	{"traffic_class", "of verbs over RoCE: 0 to 255; DSCP 26 is 104"},
	{"device", "of verbs: the RDMA device, such as mlx5_0, where its interface does not tell"},
}

func (v *verbsFlags) add(flags *pflag.FlagSet) {
	*v = verbsFlags{}
	for _, o := range ofVerbs {
		var values []string
		name := strings.ReplaceAll(o.key, "_", "-")
		flags.StringSliceVar(&values, name, nil, o.about)
		(*v)[o.key] = &values
	}
}

// axes hands the flags over that were given; those of another method are a mistake.
func (v verbsFlags) axes(method string, wrong *mistakes, add func(key string, texts ...string)) {
	for _, key := range slices.Sorted(maps.Keys(v)) {
		values := *v[key]
		if len(values) == 0 {
			continue
		}
		if method != run.Verbs {
			wrong.add(fmt.Errorf("--%s is of verbs, not of %s; leave it out", strings.ReplaceAll(key, "_", "-"), method))
			continue
		}
		add(key, values...)
	}
}
