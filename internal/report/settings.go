package report

import (
	"fmt"
	"sort"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// settingViews sets what was asked for beside what was in effect: of experiments,
// with equal values once, and of hosts.
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
			v := settingView{Of: clean(e.Name), Key: clean(k), Want: clean(want), Have: clean(have), Differs: asked && read && !sameValue(want, have)}
			if asked && read && !v.Differs {
				v.Have = v.Want
			}
			if !asked {
				v.Want = notAsked
			}
			if !read {
				v.Have = notKnown
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
			v := settingView{Of: clean(h.Name), Key: clean(s.Subject), Want: clean(s.Want), Have: clean(s.Have)}
			if v.Have == "" {
				v.Have = notKnown
			}
			v.Differs = s.Have != "" && s.Want != "" && s.Want != s.Have
			hosts = append(hosts, v)
		}
	}
	return several(collapse(experiments)), hosts
}

// notAsked stands in place of a value that nobody asked for.
const notAsked = "not asked for"

// fewUnasked is how many settings that nobody asked for stand among the others.
const fewUnasked = 4

// asked parts what was asked for from what was in effect besides, where that is much.
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

// fewAsPlanned is how many settings of hosts that are as planned stand among the others.
const fewAsPlanned = 16

// asPlanned parts the settings of hosts that are as planned from the others, where they are many.
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

// collapse joins the values of a setting that were all in effect as asked.
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

// mostValues is how many values of a setting one row lists; of more it has the least and the greatest.
const mostValues = 6

// several joins the rows of one setting that have the same in effect, and then those that were asked the same: a sweep has one row a setting and not one a cell.
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
			if !contains(lists[i], *other(&v)) {
				lists[i] = append(lists[i], *other(&v))
			}
		}
		for i, l := range lists {
			*other(&out[i]) = valuesText(l)
		}
		return out
	}
	in = join(in, func(v settingView) string { return v.Have }, func(v *settingView) *string { return &v.Want })
	return join(in, func(v settingView) string { return v.Want }, func(v *settingView) *string { return &v.Have })
}

// valuesText lists a few values; of many it says the first and the last in their order, and how many there are.
func valuesText(list []string) string {
	sort.SliceStable(list, func(a, b int) bool { return place(list[a]) < place(list[b]) })
	if len(list) <= mostValues {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s .. %s, %d values", list[0], list[len(list)-1], len(list))
}

// sameValue says whether two texts mean the same: 1KiB and 1024 B.
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := unit.ParseBytes(a)
	y, err2 := unit.ParseBytes(b)
	v, err3 := unit.ParseBitRate(a)
	w, err4 := unit.ParseBitRate(b)
	return err1 == nil && err2 == nil && x == y || err3 == nil && err4 == nil && v == w
}

func hostViews(r *record.Run) []hostView {
	var out []hostView
	for _, h := range r.Hosts {
		v := hostView{HostState: h, Cores: notKnown}
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

// settingKeys are the keys of what was asked for and of what was in effect, sorted.
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
