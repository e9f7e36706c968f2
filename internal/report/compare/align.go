package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
)

// aligned are two experiments that measure the same thing, with the conditions in which they differ.
type aligned struct {
	base, other *record.Experiment
	differs     []string
}

// conditionKeys are settings under which the same thing is measured. Two experiments that differ in them alone are
// compared, and the difference is printed. All other settings say what is measured, and experiments that differ in one
// of those are unlike.
var conditionKeys = map[string]bool{"mtu": true, "time": true, "warmup": true, "pause": true, "via": true,
	"placement": true, "pace_by": true, "path_mtu": true, "service_level": true, "traffic_class": true, "span": true,
	"cache": true, "tool": true, "note": true, "profile": true}

// families are groups of comparable transports: RoCE and iWARP, SMB and SMB Direct. TCP and UDP are not comparable: TCP
// counts data in order, UDP may lose datagrams.
var families = map[string]string{"rocev1": "rdma", "rocev2": "rdma", "iwarp": "rdma", "ib": "rdma",
	"smb": "storage", "smb-direct": "storage", "iscsi": "storage", "nvme-tcp": "storage",
	"nfs": "storage", "nbd": "storage", "ssh": "copy", "http": "copy", "ftp": "copy"}

// unlikeNamed is the number of experiments without a counterpart for which the nearest one is searched. Further ones
// are counted.
const unlikeNamed = 100

// unlikeAsked is the number of experiments that are examined for the nearest one.
const unlikeAsked = 300

// alignRuns finds, for the experiments of the second run, those of the first that measure the same thing: first with
// all settings equal, then with different conditions, names and host names. An experiment without a counterpart is
// refused, with the differences from the nearest one.
func alignRuns(a, b *record.Run) (pairs []aligned, refused []record.Refused) {
	key := func(e *record.Experiment, r *record.Run) string {
		variant := e.Variant
		if variant == r.Variant {
			variant = ""
		}
		return CombinationKey(e, "variant", variant)
	}
	first, taken := map[string]*record.Experiment{}, map[*record.Experiment]bool{}
	for _, e := range a.Experiments {
		if k := key(e, a); first[k] == nil {
			first[k] = e
		}
	}
	var left []*record.Experiment
	for _, e := range b.Experiments {
		base := first[key(e, b)]
		if base == nil {
			left = append(left, e)
			continue
		}
		taken[base] = true
		pairs = append(pairs, aligned{base: base, other: e})
	}
	free := xslices.Filter(a.Experiments, func(e *record.Experiment) bool { return !taken[e] })
	more, unlike := alignRest(a, b, free, left)
	return append(pairs, more...), unlike
}

// alignRest aligns experiments without a counterpart with equal settings.
func alignRest(a, b *record.Run, free, left []*record.Experiment) (pairs []aligned, refused []record.Refused) {
	hosts := counterparts(a, b)
	key := func(e *record.Experiment, r *record.Run, named map[string]string) string {
		parts := []string{e.Method, e.Direction, e.Pattern, hostOf(e.From, named), hostOf(e.To, named), relative(e, r),
			e.FigureUnit, e.FigureMatch}
		for _, k := range slices.Sorted(maps.Keys(e.Settings)) {
			switch {
			case conditionKeys[k]:
			case k == "transport":
				parts = append(parts, k, cmp.Or(families[e.Settings[k]], e.Settings[k]))
			default:
				parts = append(parts, k, canonical(e.Settings[k]))
			}
		}
		return strings.Join(parts, "\x00")
	}
	group := func(all []*record.Experiment, r *record.Run, named map[string]string) map[string][]*record.Experiment {
		out := map[string][]*record.Experiment{}
		for _, e := range all {
			k := key(e, r, named)
			out[k] = append(out[k], e)
		}
		return out
	}
	x, y := group(free, a, nil), group(left, b, hosts)
	looked := 0
	for _, e := range left {
		k := key(e, b, hosts)
		base, several := only(x[k], e, y[k])
		switch {
		case base != nil:
			pairs = append(pairs, aligned{base: base, other: e, differs: differing(base, e)})
		case len(e.Repeats) == 0:
		case several:
			refused = append(refused, record.Refused{What: refusedName(b, e), ID: e.ID,
				Why: fmt.Sprintf(
					"run %s has %d experiments that are the same thing but for their conditions (%s), and none is the nearer one",
					a.ID, len(x[k]), conditionsOf(x[k]))})
		case looked < unlikeNamed:
			looked++
			refused = append(refused, record.Refused{What: refusedName(b, e), ID: e.ID, Why: whyUnlike(a, b, e, hosts)})
		default:
			refused = append(refused,
				record.Refused{What: refusedName(b, e), ID: e.ID, Why: "run " + a.ID + " has no experiment that is the same thing"})
		}
	}
	paired := xslices.SetOf(pairs, func(p aligned) *record.Experiment { return p.base })
	for _, e := range free {
		if !paired[e] && len(e.Repeats) > 0 {
			refused = append(refused,
				record.Refused{What: refusedName(a, e), ID: e.ID, Why: "run " + b.ID + " has no experiment that is the same thing"})
		}
	}
	return pairs, refused
}

// only returns the single counterpart of an experiment. With several on both sides, it is the one with the same name,
// if there is one.
func only(bases []*record.Experiment, e *record.Experiment,
	others []*record.Experiment) (base *record.Experiment, several bool) {
	named := func(all []*record.Experiment) []*record.Experiment {
		return slices.DeleteFunc(slices.Clone(all), func(x *record.Experiment) bool { return x.Name != e.Name })
	}
	if len(bases) > 1 || len(others) > 1 {
		bases, others = named(bases), named(others)
	}
	if len(bases) == 1 && len(others) == 1 {
		return bases[0], false
	}
	return nil, len(bases) > 0
}

func relative(e *record.Experiment, r *record.Run) string {
	if e.Variant == r.Variant {
		return ""
	}
	return e.Variant
}

// counterparts maps the hosts of the second run to names of the first: those with the same name, and, if equally many
// remain on both sides, the others in order.
func counterparts(a, b *record.Run) map[string]string {
	names := func(r *record.Run) (out []string) {
		for _, e := range r.Experiments {
			for _, n := range []string{hostOf(e.From, nil), hostOf(e.To, nil)} {
				if n != "" && !slices.Contains(out, n) {
					out = append(out, n)
				}
			}
			if len(out) > 64 {
				break
			}
		}
		return out
	}
	x, y := names(a), names(b)
	absent := func(all, others []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(n string) bool { return slices.Contains(others, n) })
	}
	missing, added := absent(x, y), absent(y, x)
	out := map[string]string{}
	if len(missing) == len(added) {
		for i, n := range added {
			out[n] = missing[i]
		}
	}
	return out
}

// hostOf returns an end with the first run's name of its host.
func hostOf(end string, named map[string]string) string {
	host, rest, dotted := strings.Cut(end, ".")
	if n := named[host]; n != "" {
		host = n
	}
	if dotted && named != nil {
		return host + "." + rest
	}
	if dotted {
		return end
	}
	return host
}

// canonical writes a setting so that equal ones are equal texts: 1KiB and 1024.
func canonical(v string) string {
	if n, err := unit.ParseBytes(v); err == nil {
		return fmt.Sprint(int64(n))
	}
	return v
}

// differing returns the conditions in which two experiments differ: "mtu 1500 to 9000".
func differing(a, b *record.Experiment) []string {
	keys := map[string]bool{}
	for _, e := range []*record.Experiment{a, b} {
		for k := range e.Settings {
			keys[k] = true
		}
	}
	var out []string
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if x, y := a.Settings[k], b.Settings[k]; x != y && canonical(x) != canonical(y) {
			out = append(out, format.Clean(
				fmt.Sprintf("%s %s to %s", strings.ReplaceAll(k, "_", " "), cmp.Or(x, "not asked for"), cmp.Or(y, "not asked for")),
			))
		}
	}
	return out
}

func conditionsOf(all []*record.Experiment) string {
	var out []string
	for k := range conditionKeys {
		var values []string
		for _, e := range all {
			if v := e.Settings[k]; v != "" && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) > 1 {
			out = append(out, k+" "+strings.Join(values, ", "))
		}
	}
	slices.Sort(out)
	return cmp.Or(strings.Join(out, "; "), "of several names")
}

func refusedName(r *record.Run, e *record.Experiment) string {
	var words []string
	for _, k := range slices.Sorted(maps.Keys(e.Settings)) {
		if k != "time" {
			words = append(words, k+" "+e.Settings[k])
		}
	}
	s := fmt.Sprintf("run %s: %s, %s", r.ID, e.Name, e.Path())
	if len(words) > 0 {
		s += ", " + strings.Join(words, ", ")
	}
	return format.Clean(s)
}

// whyUnlike describes the differences from the nearest experiment of the first run.
func whyUnlike(a, b *record.Run, e *record.Experiment, hosts map[string]string) string {
	var nearest *record.Experiment
	var least []string
	asked := 0
	for _, x := range a.Experiments {
		if x.Method != e.Method {
			continue
		}
		if asked++; asked > unlikeAsked {
			break
		}
		if d := unlikeIn(a, b, x, e, hosts); nearest == nil || len(d) < len(least) {
			nearest, least = x, d
		}
	}
	if nearest == nil {
		return fmt.Sprintf("run %s has no experiment of the method %s", a.ID, e.Method)
	}
	s := fmt.Sprintf(unlikeThings+"the nearest of run %s, %s, has %s", a.ID, nearest.Name, strings.Join(least, ", "))
	if x, y := nearest.Settings["transport"], e.Settings["transport"]; (x == "udp") != (y == "udp") &&
		families[x] == "" && families[y] == "" {
		s += "; TCP's figure is what arrived in order, UDP's may have lost datagrams"
	}
	return format.Clean(s)
}

func unlikeIn(a, b *record.Run, x, e *record.Experiment, hosts map[string]string) []string {
	var out []string
	say := func(what, have, want string) {
		if have != want {
			out = append(out, fmt.Sprintf("%s %s instead of %s", what, cmp.Or(have, "none"), cmp.Or(want, "none")))
		}
	}
	say("ends", hostOf(x.From, nil)+" and "+hostOf(x.To, nil), hostOf(e.From, hosts)+" and "+hostOf(e.To, hosts))
	say("direction", x.Direction, e.Direction)
	say("traffic", x.Pattern, e.Pattern)
	say("variant", relative(x, a), relative(e, b))
	keys := maps.Clone(x.Settings)
	if keys == nil {
		keys = map[string]string{}
	}
	maps.Copy(keys, e.Settings)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if v, w := x.Settings[k], e.Settings[k]; !conditionKeys[k] && canonical(v) != canonical(w) &&
			!(k == "transport" && families[v] != "" && families[v] == families[w]) {
			say(strings.ReplaceAll(k, "_", " "), v, w)
		}
	}
	return out
}
