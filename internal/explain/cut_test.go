package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"linerate/internal/design/plan"
	"linerate/internal/explain/cause"
	"linerate/internal/explain/judge"
	"linerate/internal/explain/whatif"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/runfile"
)

// cutter removes from a recorded run what no judgement reads. It tries to remove whole snapshots, sections, lines,
// columns of counters and parts of JSON texts, the largest first. It restores a part whose removal changes any
// judgement. The match of every cause is compared, not only the verdict, so that evidence that a cause rejects stays.
type cutter struct {
	x         *recorded
	plan      *plan.Plan
	parsed    map[string]*facts.Facts // by text
	want      string
	snapshots []*snapshot
	manifest  *tree
	tried     int
}

// everythingSaid returns the text of all judgements of a run. The plan comes from its fabric file, or else from the
// record.
func everythingSaid(p *plan.Plan, r *record.Run, l judge.Loader) (out string) {
	defer func() {
		if v := recover(); v != nil {
			out = fmt.Sprint("panic: ", v)
		}
	}()
	if r.FabricText == "" {
		p = RecordedPlan(r)
	}
	j := newJudging(p, nil, r, l, cause.All())
	j.judgeAll()
	var b strings.Builder
	put := func(v any) {
		text, err := json.Marshal(v)
		if err != nil {
			text = fmt.Appendf(nil, "%+v", v)
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	put([]any{r.Costs, r.Findings, r.Goals, r.Sentence})
	for _, e := range r.Experiments {
		for _, e := range append([]*record.Experiment{e}, e.FollowUp...) {
			put([]any{e.Name, e.Verdict, e.Accounts, e.Acceptance, e.Proof, e.Remark})
			c := j.cases[e]
			if c == nil {
				continue
			}
			for _, table := range [][]judge.Cause{j.tables.Network, j.tables.FollowUp} {
				for i := range table {
					cause := &table[i]
					if cause.Applies != nil && !cause.Applies(c) {
						continue
					}
					if cause.Test != nil && e.Failed == "" {
						put(cause.Test(c))
					}
					if cause.Fails != nil && e.Failed != "" {
						put(cause.Fails(c))
					}
				}
			}
		}
	}
	plans := []*plan.Plan{p}
	for _, change := range []record.Change{{MTU: 9000}, {MTU: 1500}, {Streams: 8}, {Rate: 40e9}} {
		put(whatif.AnswerFrom(plans, r, l, change, ""))
	}
	return b.String()
}

// snapshot is one snapshot of a run in sections. The first one, the head, has no name.
type snapshot struct {
	name, host string
	sections   []*section
	gone       bool
	text       []byte // as it is now; nil: to be written again
}

type section struct {
	name, marker string
	lines        []string
	keys         []string // of the lines, without their numbers
	json         *tree    // instead of the lines
	// columns are the names in a pair of lines as /proc/net/snmp has them; nil: there are none.
	columns bool
	gone    bool
}

// tree is a JSON value from which parts can be removed by their paths. The rest is written unchanged.
type tree struct {
	node
	gone map[string]bool
}

// node is one value: a leaf, an object or an array.
type node struct {
	leaf     json.RawMessage
	object   bool
	keys     []string // of an object; for an array, the numbers of its elements
	children []*node
}

func newTree(text []byte) *tree {
	t := &tree{gone: map[string]bool{}}
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '{' && text[0] != '[' || !json.Valid(text) || t.read(text) != nil {
		return nil
	}
	return t
}

func (n *node) read(text json.RawMessage) error {
	text = bytes.TrimSpace(text)
	n.object = text[0] == '{'
	if !n.object && text[0] != '[' {
		n.leaf = text
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for i := 0; d.More(); i++ {
		key := strconv.Itoa(i)
		if n.object {
			k, err := d.Token()
			if err != nil {
				return err
			}
			key = k.(string)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		child := &node{}
		if err := child.read(value); err != nil {
			return err
		}
		n.keys, n.children = append(n.keys, key), append(n.children, child)
	}
	return nil
}

func (t *tree) write(b *bytes.Buffer, n *node, at string) {
	if n.leaf != nil {
		b.Write(n.leaf)
		return
	}
	begin, end := "[", "]"
	if n.object {
		begin, end = "{", "}"
	}
	b.WriteString(begin)
	first := true
	for i, child := range n.children {
		p := at + "\x00" + n.keys[i]
		if t.gone[p] {
			continue
		}
		if !first {
			b.WriteString(",")
		}
		first = false
		if n.object {
			key, err := json.Marshal(n.keys[i])
			if err != nil {
				panic(err)
			}
			b.Write(key)
			b.WriteString(":")
		}
		t.write(b, child, p)
	}
	b.WriteString(end)
}

// text returns what is left, on one line if indent is empty.
func (t *tree) text(indent string) []byte {
	var b, out bytes.Buffer
	t.write(&b, &t.node, "")
	if indent == "" {
		b.WriteString("\n")
		return b.Bytes()
	}
	if err := json.Indent(&out, b.Bytes(), "", indent); err != nil {
		panic(err)
	}
	out.WriteString("\n")
	return out.Bytes()
}

// children returns the paths below a path that can be removed, in order.
func (t *tree) children(at string) (out []string) {
	n := &t.node
	for _, k := range strings.Split(at, "\x00")[1:] {
		i := slices.Index(n.keys, k)
		if i < 0 {
			return nil
		}
		n = n.children[i]
	}
	if !n.object && len(n.children) > 4 && n.children[0].leaf != nil {
		return nil // a series, or a list of words: as it is
	}
	for _, k := range n.keys {
		out = append(out, at+"\x00"+k)
	}
	return out
}

var numbers = regexp.MustCompile(`[0-9a-f]*[0-9][0-9a-f.]*`)

func newSnapshot(name string, text []byte) *snapshot {
	c := &snapshot{name: name}
	c.host, _, _ = strings.Cut(strings.TrimPrefix(name, runfolder.SnapshotsName+"/"), ".")
	s := &section{}
	c.sections = []*section{s}
	for line := range strings.Lines(string(text)) {
		if n, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(n, " --\n") {
			s = &section{name: strings.TrimSuffix(n, " --\n"), marker: line}
			c.sections = append(c.sections, s)
			continue
		}
		if s.name == "" && strings.HasPrefix(line, "bytes ") {
			continue // it is removed
		}
		s.lines = append(s.lines, line)
		s.keys = append(s.keys, numbers.ReplaceAllString(line, "#"))
	}
	for _, s := range c.sections {
		if s.name == "" {
			continue
		}
		s.json = newTree([]byte(strings.Join(s.lines, "")))
		s.columns = s.name == "proc/net/netstat" || s.name == "proc/net/snmp"
	}
	return c
}

// cuts are the removed lines and columns of a host's snapshots, by their keys.
type cuts map[string]bool

func (c *snapshot) write(gone cuts) []byte {
	var b bytes.Buffer
	for _, s := range c.sections {
		if s.gone {
			continue
		}
		b.WriteString(s.marker)
		switch {
		case s.json != nil:
			b.Write(s.json.text(""))
		case s.columns && len(s.lines)%2 == 0:
			for i := 0; i+1 < len(s.lines); i += 2 {
				names, values := strings.Fields(s.lines[i]), strings.Fields(s.lines[i+1])
				if len(names) != len(values) || names[0] != values[0] {
					b.WriteString(s.lines[i] + s.lines[i+1])
					continue
				}
				var a, v []string
				for k := range names {
					if k == 0 || !gone[s.name+"\x00"+names[0]+names[k]] {
						a, v = append(a, names[k]), append(v, values[k])
					}
				}
				if len(a) > 1 {
					b.WriteString(strings.Join(a, " ") + "\n" + strings.Join(v, " ") + "\n")
				}
			}
		default:
			for i, line := range s.lines {
				if !gone[s.name+"\x00"+s.keys[i]] {
					b.WriteString(line)
				}
			}
		}
	}
	return b.Bytes()
}

// newCutter reads a run.
func newCutter(t testing.TB, x *recorded) *cutter {
	t.Helper()
	c := &cutter{x: x, plan: planOf(t, x.manifest(t)), parsed: map[string]*facts.Facts{},
		manifest: newTree(x.files[runfolder.ManifestName])}
	for _, name := range slices.Sorted(maps.Keys(x.files)) {
		if name != runfolder.ManifestName {
			c.snapshots = append(c.snapshots, newSnapshot(name, x.files[name]))
		}
	}
	c.want = everythingSaid(c.plan, x.manifest(t), judge.NewLoader(x.read))
	return c
}

// now returns the judgements of the run in its current state.
func (c *cutter) now(gone map[string]cuts, manifest []byte) string {
	r := &record.Run{}
	if json.Unmarshal(manifest, r) != nil {
		return "no manifest"
	}
	r.Experiments = slices.DeleteFunc(r.Experiments, func(e *record.Experiment) bool { return e == nil })
	l := judge.NewLoader(func(string) ([]byte, error) { return nil, fs.ErrNotExist })
	for _, x := range c.snapshots {
		if x.gone {
			continue
		}
		if x.text == nil {
			x.text = x.write(gone[x.host])
		}
		f, ok := c.parsed[string(x.text)]
		if !ok {
			f, _ = read.Parse(x.text)
			c.parsed[string(x.text)] = f
		}
		if f != nil { // findings records in the facts what the run knows of them
			own := *f
			f = &own
		}
		l.Have[x.name] = f
	}
	return everythingSaid(c.plan, r, l)
}

// cut removes as many of n things as possible: all of them, or else as many as possible of each half.
func cut(n int, set func(i int, gone bool), same func() bool) (went int) {
	var try func(from, to int)
	try = func(from, to int) {
		for i := from; i < to; i++ {
			set(i, true)
		}
		if from < to && same() {
			went += to - from
			return
		}
		for i := from; i < to; i++ {
			set(i, false)
		}
		if to-from > 1 {
			try(from, (from+to)/2)
			try((from+to)/2, to)
		}
	}
	try(0, n)
	return went
}

// run cuts, and returns the files that are left.
func (c *cutter) run(keeps func(name string) bool) map[string][]byte {
	manifest := c.x.files[runfolder.ManifestName]
	gone := map[string]cuts{}
	hosts := []string{}
	for _, x := range c.snapshots {
		if gone[x.host] == nil {
			gone[x.host] = cuts{}
			hosts = append(hosts, x.host)
		}
	}
	same := func() bool {
		c.tried++
		return c.now(gone, manifest) == c.want
	}
	// marks a host's snapshots as changed, so that fresh writes them again
	touched := func(host string) {
		for _, x := range c.snapshots {
			if x.host == host {
				x.text = nil
			}
		}
	}
	if !keeps(runfolder.SnapshotsName) {
		cut(len(c.snapshots), func(i int, gone bool) { c.snapshots[i].gone = gone }, same)
		c.snapshots = slices.DeleteFunc(c.snapshots, func(x *snapshot) bool { return x.gone })
		for _, host := range hosts {
			c.cutHost(host, gone[host], keeps, touched, same)
		}
	}
	if !keeps(runfolder.ManifestName) {
		t := c.manifest
		set := func(path string, is bool) {
			if is {
				t.gone[path] = true
			} else {
				delete(t.gone, path)
			}
		}
		t.cut("", keeps, set, func() bool { manifest = t.text(" "); return same() })
		manifest = t.text(" ")
	}
	out := map[string][]byte{runfolder.ManifestName: manifest}
	for _, x := range c.snapshots {
		if !x.gone {
			out[x.name] = x.write(gone[x.host])
		}
	}
	return out
}

// neededKeys are the parts of a manifest without which it cannot be read.
var neededKeys = regexp.MustCompile("^\x00(schema|id|version|fabric|fabric_path|fabric_text|lab|experiments)$")

// cut removes parts of a tree, the outer ones first.
func (t *tree) cut(at string, keeps func(name string) bool, set func(path string, gone bool), same func() bool) {
	kept := func(path string) bool {
		return neededKeys.MatchString(path) || keeps(path[strings.LastIndex(path, "\x00")+1:])
	}
	children := slices.DeleteFunc(t.children(at), kept)
	cut(len(children), func(i int, gone bool) { set(children[i], gone) }, same)
	for _, child := range t.children(at) {
		if !t.gone[child] && !keeps(child[strings.LastIndex(child, "\x00")+1:]) {
			t.cut(child, keeps, set, same)
		}
	}
}

// cutHost cuts the snapshots of one host. Lines and columns are removed from all of them, whole sections from one
// alone.
func (c *cutter) cutHost(host string, gone cuts, keeps func(string) bool, touched func(string), same func() bool) {
	defer touched(host) // what was put back last
	again := func() bool { touched(host); return same() }
	var all []*section
	by := map[string][]*section{}
	var names []string
	for _, x := range c.snapshots {
		if x.host != host {
			continue
		}
		for _, s := range x.sections[1:] {
			if keeps(s.name) {
				continue
			}
			if by[s.name] == nil {
				names = append(names, s.name)
			}
			by[s.name], all = append(by[s.name], s), append(all, s)
		}
		by[""] = append(by[""], x.sections[0])
	}
	cut(len(names), func(i int, is bool) {
		for _, s := range by[names[i]] {
			s.gone = is
		}
	}, again)
	all = slices.DeleteFunc(all, func(s *section) bool { return s.gone })
	cut(len(all), func(i int, is bool) { all[i].gone = is }, again)
	for _, name := range append(names, "") {
		sections := slices.DeleteFunc(slices.Clone(by[name]), func(s *section) bool { return s.gone })
		var keys []string
		var trees []*tree
		for _, s := range sections {
			switch {
			case s.json != nil:
				trees = append(trees, s.json)
			case s.columns && len(s.lines)%2 == 0:
				for i := 0; i+1 < len(s.lines); i += 2 {
					for k, n := range strings.Fields(s.lines[i]) {
						if k > 0 {
							keys = append(keys, name+"\x00"+strings.Fields(s.lines[i])[0]+n)
						}
					}
				}
			default:
				for _, k := range s.keys {
					keys = append(keys, name+"\x00"+k)
				}
			}
		}
		seen := map[string]bool{}
		keys = slices.DeleteFunc(keys, func(k string) bool { was := seen[k]; seen[k] = true; return was })
		cut(len(keys), func(i int, is bool) { gone[keys[i]] = is }, again)
		cutTrees(trees, "", again)
	}
}

// cutTrees removes the same parts from several trees.
func cutTrees(trees []*tree, at string, same func() bool) {
	var children []string
	for _, t := range trees {
		for _, p := range t.children(at) {
			if !slices.Contains(children, p) {
				children = append(children, p)
			}
		}
	}
	cut(len(children), func(i int, is bool) {
		for _, t := range trees {
			if is {
				t.gone[children[i]] = true
			} else {
				delete(t.gone, children[i])
			}
		}
	}, same)
	for _, p := range children {
		if !trees[0].gone[p] {
			cutTrees(trees, p, same)
		}
	}
}

// cutRun cuts a recorded run. It fails if the judgements of the cut run differ.
func cutRun(t *testing.T, r *runfile.Run) {
	t.Helper()
	x := &recorded{name: r.Name, of: r, files: map[string][]byte{}}
	size := func() (n int) {
		for _, f := range r.Files {
			n += len(f.Data)
		}
		return n
	}
	for _, f := range r.Files {
		x.files[f.Name] = f.Data
	}
	began, before := time.Now(), size()
	c := newCutter(t, x)
	left := c.run(r.Keeps)
	x.files = left
	if got := everythingSaid(planOf(t, x.manifest(t)), x.manifest(t), judge.NewLoader(x.read)); got != c.want {
		t.Errorf("%s: the cut run says something else", r.Name)
		return
	}
	var files []runfile.File
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if name != runfolder.ManifestName {
			files = append(files, runfile.File{Name: name, Data: left[name]})
		}
	}
	r.Files = append([]runfile.File{{Name: runfolder.ManifestName, Data: left[runfolder.ManifestName]}}, files...)
	t.Logf("%s: %d bytes of %d, %d tries, %v", r.Name, size(), before, c.tried, time.Since(began).Round(time.Millisecond))
}
