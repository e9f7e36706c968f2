package fabric

import (
	"fmt"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
)

// Profile is a named set of loads of the method storage, defined in the file.
type Profile struct {
	Name     string
	Loads    []string          // one after another, each for every share of Reads unless it has its own
	Reads    []string          // empty: only reads
	Settings map[string]string // of each of them, unless the experiment sets them: time, warmup, span ..
	Repeats  int               // 0: not written
	Note     string
	At       At
}

func (d *decoder) allProfiles(n *node) {
	d.each(n, "profile", single(), func(name, group string, p pair, own, _ step) {
		f, ok := d.fields(p.value, "profile", "profile "+quoteName(group), p.key.at)
		if !ok {
			return
		}
		out := &Profile{Name: name, Settings: map[string]string{}, At: p.key.at, Note: f.Note,
			Repeats: f.number("repeats", 1, 1000, 0, "a number of repeats")}
		value := func(key, as string) []string {
			v := f.get(key)
			if v == nil || v.kind == null {
				return nil
			}
			a, ok := d.parameter(v, v, f.subject, method.Storage, settingNamed(as))
			if !ok {
				return nil
			}
			return a.Values
		}
		if !f.has("loads") {
			f.bad(diag.KeyMissing, "loads", "missing key loads", "", "write loads: [RND4K-Q32T1, SEQ1M-Q8T1]")
		}
		out.Loads, out.Reads = value("loads", "load"), value("read", "read")
		for _, key := range []string{"time", "warmup", "span", "pause", "think", "limit", "cache", "steady"} {
			switch values := value(key, key); {
			case len(values) > 1:
				f.bad(diag.SettingUnfit, key, fmt.Sprintf("%s has %d values, not one for all loads", key, len(values)), "",
					"write one value (the experiment may have several)")
			case len(values) == 1:
				out.Settings[key] = values[0]
			}
		}
		d.f.Profiles = append(d.f.Profiles, out)
	})
}
