package report

import (
	"fmt"
	"sort"

	"linerate/result"
	"linerate/unit"
)

// settingViews sets what was asked for beside what was in effect: of experiments,
// with equal values once, and of hosts.
func settingViews(r *result.Run) (experiments, hosts []settingView) {
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
				v.Want = "not asked for"
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
	return collapse(experiments), hosts
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

func hostViews(r *result.Run) []hostView {
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
func settingKeys(e *result.Experiment) []string {
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
