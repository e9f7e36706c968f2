package explain_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/explain"
	"linerate/internal/record"
)

// go test ./explain -run TestDamaged -damage 1
var damage = flag.Uint("damage", share, "one in so many of all single damages to the recorded folders is tried; 1: all")

// share of the damages that a plain run tries: one in so many, always the same ones.
const share = 1000

// folder is a recorded run as its files: the manifest is parsed anew each time.
type folder struct {
	name     string
	manifest []byte
	captures map[string]string
	plan     *plan.Plan
}

func folders(t testing.TB) (all []folder) {
	t.Helper()
	for _, name := range explain.RecordedRuns(t, "made") {
		f := folder{name: strings.TrimPrefix(name, "made/"), captures: explain.CapturesOf(t, name), manifest: explain.ManifestOf(t, name)}
		f.plan = explain.PlanOf(t, explain.RunOf(t, name))
		all = append(all, f)
	}
	if len(all) < 10 {
		t.Fatalf("%d recorded runs", len(all))
	}
	return all
}

// verdicts explains a folder and gives every verdict, that of a missing one as "none". A manifest that cannot be read gives nil.
func (f folder) verdicts(manifest []byte, captures map[string]string) (ids []string, all []*record.Verdict) {
	r := &record.Run{}
	if json.Unmarshal(manifest, r) != nil {
		return nil, nil
	}
	r.Experiments = slices.DeleteFunc(r.Experiments, func(e *record.Experiment) bool { return e == nil })
	explain.Run(f.plan, r, func(name string) ([]byte, error) {
		if text, ok := captures[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	})
	for _, e := range r.Experiments {
		id := "none"
		if e.Verdict != nil {
			id = e.Verdict.Limiter
		}
		ids, all = append(ids, id), append(all, e.Verdict)
	}
	return ids, all
}

// hurt is a damaged folder.
type hurt struct {
	what     string
	manifest []byte
	captures map[string]string
}

// wrongNumbers are what may stand where a number was.
var wrongNumbers = []string{"", "0", "-1", "18446744073709551615", "99999999999999999999999999", "1e308", "NaN"}

var number = regexp.MustCompile(`\b\d+(\.\d+)?\b`)

// damages calls use with every folder that differs from f in one thing that was taken away, cut or made nonsense of, and that is wanted by its name.
func (f folder) damages(wanted func(what string) bool, use func(hurt)) {
	with := func(what, name string, text func() string) {
		if what += " of " + name; wanted(what) {
			c := maps.Clone(f.captures)
			c[name] = text()
			use(hurt{what, f.manifest, c})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.captures)) {
		text := f.captures[name]
		if what := "without " + name; wanted(what) {
			gone := maps.Clone(f.captures)
			delete(gone, name)
			use(hurt{what, f.manifest, gone})
		}
		for what, s := range map[string]string{"nothing": "", "nonsense": "\x00\xff\x01 -- \n--\n", "another format": "schema linerate/capture/9\n", "half": text[:len(text)/2],
			"another system": strings.Replace(text, "os linux", "os windows", 1), "no clock": regexp.MustCompile(`(?m)^(when|uptime|boot) .*\n`).ReplaceAllString(text, ""),
			"a key of the future": strings.Replace(text, "\n-- ", "\nsomething new\n-- a section of the future --\n1 2 3\n-- ", 1)} {
			with(what, name, func() string { return s })
		}
		at := 0
		section, lines := "head", strings.SplitAfter(text, "\n")
		starts := []int{}
		for i, line := range lines {
			if strings.HasPrefix(line, "-- ") && strings.HasSuffix(line, " --\n") {
				starts = append(starts, i)
				section = strings.Trim(line, "- \n")
			}
			with(fmt.Sprintf("without line %d (%s)", i, section), name, func() string { return text[:at] + text[at+len(line):] })
			for k, n := range number.FindAllStringIndex(line, -1) {
				for _, wrong := range wrongNumbers {
					with(fmt.Sprintf("number %d of line %d (%s) as %q", k, i, section, wrong), name, func() string { return text[:at+n[0]] + wrong + text[at+n[1]:] })
				}
			}
			at += len(line)
		}
		for k, from := range starts {
			to := len(lines)
			if k+1 < len(starts) {
				to = starts[k+1]
			}
			head, rest := strings.Join(lines[:from], ""), strings.Join(lines[to:], "")
			what := strings.TrimSpace(lines[from])
			with("without section "+what, name, func() string { return head + rest })
			with("an empty section "+what, name, func() string { return head + lines[from] + rest })
			with("nonsense in section "+what, name, func() string { return head + lines[from] + "{[\x00 nonsense : -1\n" + rest })
		}
	}
	f.damagedRecords(wanted, use)
}

// damagedRecords are those of the manifest: every value of every experiment is taken away, or is another one.
func (f folder) damagedRecords(wanted func(what string) bool, use func(hurt)) {
	var whole map[string]any
	if err := json.Unmarshal(f.manifest, &whole); err != nil {
		panic(err)
	}
	write := func(what string) {
		if !wanted(what) {
			return
		}
		b, err := json.Marshal(whole)
		if err != nil {
			panic(err)
		}
		use(hurt{what, b, f.captures})
	}
	try := func(at string, old any, put func(any), remove func()) {
		values := []any{nil, []any{}, map[string]any{}, "", "nonsense"}
		if _, is := old.(float64); is {
			values = []any{nil, 0.0, -1.0, -1e300, 1e300, 1e18}
		}
		for _, v := range values {
			put(v)
			write(fmt.Sprintf("%s as %v", at, v))
		}
		remove()
		write("without " + at)
		put(old)
	}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				try(at+"."+k, v[k], func(x any) { v[k] = x }, func() { delete(v, k) })
				walk(at+"."+k, v[k])
			}
		case []any:
			for i := range v {
				walk(at+"["+strconv.Itoa(i)+"]", v[i])
			}
		}
	}
	walk("experiments", whole["experiments"])
	if lab, ok := whole["lab"].(map[string]any); ok {
		walk("lab", lab)
	}
	for _, k := range []string{"lab", "plan", "hosts", "variant", "goals", "chase"} {
		try(k, whole[k], func(x any) { whole[k] = x }, func() { delete(whole, k) })
	}
}

// tried says whether a plain run tries a damage.
func tried(name, what string) bool {
	h := fnv.New32a()
	h.Write([]byte(name + what))
	return h.Sum32()%uint32(max(1, *damage)) == 0
}

// TestDamaged damages every recorded folder in every single way: nothing panics, and the verdict is what it was, or none. Another cause would be a guess.
func TestDamaged(t *testing.T) {
	for _, f := range folders(t) {
		t.Run(f.name, func(t *testing.T) {
			was, _ := f.verdicts(f.manifest, f.captures)
			n, less := 0, 0
			f.damages(func(what string) bool { return tried(f.name, what) }, func(h hurt) {
				n++
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s: panic: %v", h.what, p)
					}
				}()
				ids, all := f.verdicts(h.manifest, h.captures)
				if len(ids) > len(was) {
					t.Errorf("%s: %d verdicts, were %d", h.what, len(ids), len(was))
				}
				for i, id := range ids {
					if len(ids) == len(was) && id == was[i] || id == "none" {
						continue
					}
					less++
					if id == explain.Unexplained || id == explain.NotKnown {
						continue
					}
					if why := legitimate(was, h.what, id); why == "" {
						t.Errorf("%s: %s, was %v: %s", h.what, id, was, all[i].Sentence)
					}
				}
			})
			t.Logf("%d damages, %d verdicts less", n, less)
		})
	}
}

// where are verdicts about where the bytes went: with the addresses damaged, which of them it is cannot be told, and that they went elsewhere can.
var where = []string{"wrong-nic", "duplicate-subnet", "arp-flux"}

// another is a number of a record that is possible, and not the one that was measured: the record is of another experiment then.
var another = regexp.MustCompile(`^experiments.* as (0|1e\+18|1e\+300)$`)

// legitimate says why a damage may lead to another cause; empty: it may not.
func legitimate(was []string, what, id string) string {
	switch {
	case id == "link":
		return "a link that is full is one without any other evidence; what made it smaller than planned is not known then"
	case slices.Contains(where, id) && slices.ContainsFunc(was, func(s string) bool { return slices.Contains(where, s) }):
		return "the bytes went elsewhere"
	case another.MatchString(what):
		return "the record says so"
	}
	return ""
}

// FuzzManifest puts any number or text in place of any value of a recorded experiment.
func FuzzManifest(f *testing.F) {
	all := folders(f)
	for i := range all {
		for k, v := range []float64{-1, 1e300, 1e-300, 3e9} {
			f.Add(uint8(i), uint16(97*i+1000*k), k%2 == 0, v, "")
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, at uint16, numeric bool, value float64, text string) {
		x := all[int(which)%len(all)]
		var put any = text
		if numeric {
			put = value
		}
		manifest := x.changed(int(at), put)
		if manifest == nil {
			t.Skip() // a number that JSON does not have
		}
		_, verdicts := x.verdicts(manifest, x.captures)
		for _, v := range verdicts {
			if v == nil {
				continue
			}
			if v.Limiter == "" || v.Sentence == "" {
				t.Errorf("a verdict without words: %+v", v)
			}
			if named := v.Limiter != explain.Unexplained && v.Limiter != explain.NotKnown; named != (v.Confidence != "") {
				t.Errorf("%s with confidence %q", v.Limiter, v.Confidence)
			}
		}
	})
}

// changed is the manifest with another value in place of the n-th of its experiments, counted around; nil: it is none of JSON.
func (f folder) changed(n int, value any) []byte {
	var whole map[string]any
	if err := json.Unmarshal(f.manifest, &whole); err != nil {
		panic(err)
	}
	var puts []func()
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				puts = append(puts, func() { v[k] = value })
				walk(v[k])
			}
		case []any:
			for i := range v {
				walk(v[i])
			}
		}
	}
	walk(whole["experiments"])
	puts[n%len(puts)]()
	b, err := json.Marshal(whole)
	if err != nil {
		return nil
	}
	return b
}
