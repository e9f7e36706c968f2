package explain

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

// go test ./internal/explain -run TestDamaged -damage 1
var damage = flag.Uint("damage", oneIn, "one in so many of all single damages to the recorded folders is tried; 1: all")

// oneIn is the fraction of damages that a test without -damage tries: always the same one in this many.
const oneIn = 1000

// folders are the recorded runs that were made by hand. Their manifests are parsed again each time.
func folders(t testing.TB) []*recorded {
	t.Helper()
	all := recordedRuns(t, "made")
	if len(all) < 10 {
		t.Fatalf("%d recorded runs", len(all))
	}
	return all
}

// verdicts explains a folder with other files and gives every verdict, that of a missing one as "none". A manifest that
// cannot be read gives nil.
func (r *recorded) verdicts(t testing.TB, files map[string][]byte) (ids []string, all []*record.Verdict) {
	run := &record.Run{}
	if json.Unmarshal(files[runfolder.ManifestName], run) != nil {
		return nil, nil
	}
	run.Experiments = slices.DeleteFunc(run.Experiments, func(e *record.Experiment) bool { return e == nil })
	Run(planOf(t, r.run), run, (&recorded{files: files}).read)
	for _, e := range run.Experiments {
		id := "none"
		if e.Verdict != nil {
			id = e.Verdict.Limiter
		}
		ids, all = append(ids, id), append(all, e.Verdict)
	}
	return ids, all
}

// wrongNumbers are the replacements of a number.
var wrongNumbers = []string{"", "0", "-1", "18446744073709551615", "99999999999999999999999999", "1e308", "NaN"}

var aNumber = regexp.MustCompile(`\b\d+(\.\d+)?\b`)

// damages calls use with the files of every folder that differs from r in one thing that was taken away, cut or made
// nonsense of, and that is wanted by its name.
func (r *recorded) damages(t testing.TB, wanted func(what string) bool,
	use func(what string, files map[string][]byte)) {
	with := func(what, name string, text func() string) {
		if what += " of " + name; wanted(what) {
			c := maps.Clone(r.files)
			c[name] = []byte(text())
			use(what, c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		if name == runfolder.ManifestName {
			continue
		}
		text := string(r.files[name])
		if what := "without " + name; wanted(what) {
			gone := maps.Clone(r.files)
			delete(gone, name)
			use(what, gone)
		}
		for what, s := range map[string]string{"nothing": "", "nonsense": "\x00\xff\x01 -- \n--\n",
			"another format": "schema linerate/snapshot/9\n", "half": text[:len(text)/2],
			"another system": strings.Replace(text, "os linux", "os windows", 1),
			"no clock":       regexp.MustCompile(`(?m)^(when|uptime|boot) .*\n`).ReplaceAllString(text, ""),
			"a key of the future": strings.Replace(text, "\n-- ", "\nsomething new\n-- a section of the future --\n1 2 3\n-- ",
				1)} {
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
			for k, n := range aNumber.FindAllStringIndex(line, -1) {
				for _, wrong := range wrongNumbers {
					with(fmt.Sprintf("number %d of line %d (%s) as %q", k, i, section, wrong), name,
						func() string { return text[:at+n[0]] + wrong + text[at+n[1]:] })
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
			with("nonsense in section "+what, name, func() string {
				return head + lines[from] + "{[\x00 nonsense : -1\n" + rest
			})
		}
	}
	r.damagedRecords(t, wanted, use)
}

// place is one of the values of a record: how it is written, what it is, and how it becomes another or none.
type place struct {
	at     string
	old    any
	put    func(any)
	remove func() // nil: one of a list
}

// places are the values at and below a value.
func places(at string, v any) (all []place) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			all = append(all, place{at + "." + k, v[k], func(x any) { v[k] = x }, func() { delete(v, k) }})
			all = append(all, places(at+"."+k, v[k])...)
		}
	case []any:
		for i := range v {
			all = append(all, places(at+"["+strconv.Itoa(i)+"]", v[i])...)
		}
	}
	return all
}

// whole is the manifest, and a function that writes it; nil: JSON cannot have it.
func (r *recorded) whole(t testing.TB) (of map[string]any, write func() []byte) {
	testenv.Check(t, json.Unmarshal(r.files[runfolder.ManifestName], &of))
	return of, func() []byte {
		b, err := json.Marshal(of)
		if err != nil {
			return nil
		}
		return b
	}
}

// damagedRecords does the same to the manifest: it removes or changes every value of every experiment.
func (r *recorded) damagedRecords(t testing.TB, wanted func(what string) bool,
	use func(what string, files map[string][]byte)) {
	of, manifest := r.whole(t)
	write := func(what string) {
		if wanted(what) {
			c := maps.Clone(r.files)
			c[runfolder.ManifestName] = manifest()
			use(what, c)
		}
	}
	all := slices.Concat(places("experiments", of["experiments"]), places("lab", of["lab"]))
	for _, p := range places("", of) {
		if slices.Contains([]string{".lab", ".plan", ".hosts", ".variant", ".goals", ".follow_up"}, p.at) {
			p.at = p.at[1:]
			all = append(all, p)
		}
	}
	for _, p := range all {
		values := []any{nil, []any{}, map[string]any{}, "", "nonsense"}
		if _, is := p.old.(float64); is {
			values = []any{nil, 0.0, -1.0, -1e300, 1e300, 1e18}
		}
		for _, v := range values {
			p.put(v)
			write(fmt.Sprintf("%s as %v", p.at, v))
		}
		p.remove()
		write("without " + p.at)
		p.put(p.old)
	}
}

// tried reports whether a damage is in the share.
func tried(name, what string) bool {
	h := fnv.New32a()
	h.Write([]byte(name + what))
	return h.Sum32()%uint32(max(1, *damage)) == 0
}

// TestDamaged damages every recorded folder in every single way. Nothing may panic, and the verdict stays, or is none.
// Another cause would be a guess.
func TestDamaged(t *testing.T) {
	for _, f := range folders(t) {
		t.Run(f.name, func(t *testing.T) {
			was, _ := f.verdicts(t, f.files)
			n, less := 0, 0
			wanted := func(what string) bool { return tried(strings.TrimPrefix(f.name, "made/"), what) }
			f.damages(t, wanted, func(what string, files map[string][]byte) {
				n++
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s: panic: %v", what, p)
					}
				}()
				ids, all := f.verdicts(t, files)
				if len(ids) > len(was) {
					t.Errorf("%s: %d verdicts, were %d", what, len(ids), len(was))
				}
				for i, id := range ids {
					if len(ids) == len(was) && id == was[i] || id == "none" {
						continue
					}
					less++
					if id == record.LimiterUnexplained || id == record.LimiterUnknown {
						continue
					}
					if why := legitimate(was, what, id); why == "" {
						t.Errorf("%s: %s, was %v: %s", what, id, was, all[i].Sentence)
					}
				}
			})
			t.Logf("%d damages, %d verdicts less", n, less)
		})
	}
}

// where are the verdicts about the path of the bytes. Damaged addresses leave open which of them it is, but not that
// the path is a wrong one.
var where = []string{"wrong-nic", "duplicate-subnet", "arp-flux"}

// another matches a change to a possible number that was not measured: the record is then that of another experiment.
var another = regexp.MustCompile(`^experiments.* as (0|1e\+18|1e\+300)$`)

// legitimate returns the reason why a damage may lead to another cause; empty: it may not.
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

// FuzzManifest replaces any value of a recorded experiment by a number or text.
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
		of, manifest := x.whole(t)
		puts := places("", of["experiments"])
		puts[int(at)%len(puts)].put(put)
		files := maps.Clone(x.files)
		if files[runfolder.ManifestName] = manifest(); files[runfolder.ManifestName] == nil {
			t.Skip() // a number that JSON does not have
		}
		_, verdicts := x.verdicts(t, files)
		for _, v := range verdicts {
			if v == nil {
				continue
			}
			if v.Limiter == "" || v.Sentence == "" {
				t.Errorf("a verdict without words: %+v", v)
			}
			if named := v.Limiter != record.LimiterUnexplained &&
				v.Limiter != record.LimiterUnknown; named != (v.Confidence != "") {
				t.Errorf("%s with confidence %q", v.Limiter, v.Confidence)
			}
		}
	})
}
