package page

import (
	"cmp"
	"fmt"
	"sort"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// settingViews lists requested settings next to those in effect: of experiments, with equal values once, and of hosts.
func settingViews(r *record.Run) (experiments, hosts []settingView) {
	type key struct{ of, key, want, have string }
	seen := map[key]bool{}
	for _, e := range r.Experiments {
		if e.NotRun != "" {
			continue
		}
		for _, k := range settingKeys(e) {
			want, asked := e.Settings[k]
			have, read := e.InEffect[k]
			v := settingView{Of: format.Clean(e.Name), Key: format.Clean(k), Want: format.Clean(want),
				Have: format.Clean(have), Differs: asked && read && !result.SameValue(want, have)}
			if asked && read && !v.Differs {
				v.Have = v.Want
			}
			if !asked {
				v.Want = notAsked
			}
			if !read {
				v.Have = format.NotKnown
			}
			id := key{v.Of, v.Key, v.Want, v.Have}
			if !seen[id] {
				seen[id] = true
				experiments = append(experiments, v)
			}
		}
	}
	for _, h := range r.Hosts {
		for _, s := range h.Settings {
			v := settingView{Of: format.Clean(h.Name), Key: format.Clean(s.Subject), Want: format.Clean(s.Want),
				Have: format.Clean(s.Have)}
			v.Have = cmp.Or(v.Have, format.NotKnown)
			v.Differs = s.Have != "" && s.Want != "" && s.Want != s.Have
			hosts = append(hosts, v)
		}
	}
	return several(collapse(experiments)), hosts
}

// notAsked replaces the value of a default.
const notAsked = "default"

// fewUnasked is the number of defaults that are shown among the other settings.
const fewUnasked = 4

// asked separates requested settings from others in effect, where those are many.
func asked(all []settingView) (yes, no []settingView) {
	for _, v := range all {
		if v.Want == notAsked {
			no = append(no, v)
		} else {
			yes = append(yes, v)
		}
	}
	if len(no) <= fewUnasked {
		return all, nil
	}
	return yes, no
}

// fewAsPlanned is the number of settings as planned, or as requested, that are shown among the others.
const fewAsPlanned = 4

// asPlanned separates the settings that are as planned, or as requested, from the others, where they are many.
func asPlanned(all []settingView) (others, same []settingView) {
	for _, v := range all {
		if v.Have == v.Want {
			same = append(same, v)
		} else {
			others = append(others, v)
		}
	}
	if len(same) <= fewAsPlanned {
		return all, nil
	}
	return others, same
}

// collapse joins the values of a setting that were all in effect as requested.
func collapse(in []settingView) []settingView {
	index := map[[2]string]int{}
	var out []settingView
	for _, v := range in {
		id := [2]string{v.Of, v.Key}
		if i, ok := index[id]; ok && v.Want == v.Have && !v.Differs {
			out[i].Want += ", " + v.Want
			out[i].Have = out[i].Want
			continue
		}
		if v.Want == v.Have {
			index[id] = len(out)
		}
		out = append(out, v)
	}
	return out
}

// several joins the rows of one setting with the same value in effect, and then those with the same requested value: a
// sweep has one row for each setting and not one for each combination.
func several(in []settingView) []settingView {
	join := func(in []settingView, same func(settingView) string, other func(*settingView) *string) (out []settingView) {
		at := map[string]int{}
		lists := map[int][]string{}
		for _, v := range in {
			id := v.Of + "\x00" + v.Key + "\x00" + same(v)
			i, ok := at[id]
			if v.Differs || v.Want == v.Have || !ok {
				if !v.Differs && v.Want != v.Have {
					at[id] = len(out)
					lists[len(out)] = []string{*other(&v)}
				}
				out = append(out, v)
				continue
			}
			lists[i] = xslices.AppendNew(lists[i], *other(&v))
		}
		for i, l := range lists {
			*other(&out[i]) = valuesText(l)
		}
		return out
	}
	in = join(in, func(v settingView) string { return v.Have }, func(v *settingView) *string { return &v.Want })
	return join(in, func(v settingView) string { return v.Want }, func(v *settingView) *string { return &v.Have })
}

// valuesText lists a few values. If there are many, it lists the first, the last, and their number.
func valuesText(list []string) string {
	sort.SliceStable(list, func(a, b int) bool { return result.Place(list[a]) < result.Place(list[b]) })
	if len(list) <= result.MostValues {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s .. %s, %d values", list[0], list[len(list)-1], len(list))
}

func hostViews(r *record.Run) []hostView {
	var out []hostView
	for _, h := range r.Hosts {
		v := hostView{HostState: h, Cores: format.NotKnown}
		if h.Cores > 0 {
			v.Cores = fmt.Sprint(h.Cores)
		}
		for _, p := range r.Plan.Hosts {
			if p.Name == h.Name {
				v.Ports = p.Ports
			}
		}
		out = append(out, v)
	}
	return out
}

// settingKeys returns the keys of requested settings and of those in effect, sorted.
func settingKeys(e *record.Experiment) []string {
	var keys []string
	for k := range e.Settings {
		keys = append(keys, k)
	}
	for k := range e.InEffect {
		if _, ok := e.Settings[k]; !ok {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	return keys
}
