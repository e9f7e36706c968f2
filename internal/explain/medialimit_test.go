package explain

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// ofFile is a kept run folder of an experiment that sends a file, to be changed.
type ofFile struct {
	examined
	run *record.Run
}

func keptFile(t *testing.T, name string) *ofFile {
	return ofRun(t, "exam/"+name)
}

func ofRun(t *testing.T, name string) *ofFile {
	t.Helper()
	x := kept(t, name)
	return &ofFile{examined: x, run: x.run(t)}
}

func (o *ofFile) exp() *record.Experiment { return o.run.Experiments[0] }

// explained is the verdict of the folder as it is now.
func (o *ofFile) explained(t *testing.T) *record.Verdict {
	t.Helper()
	b, err := json.Marshal(o.run)
	if err != nil {
		t.Fatal(err)
	}
	o.files[runfolder.ManifestName] = b
	Run(PlanOf(t, o.run), o.run, o.read)
	if o.exp().Verdict == nil {
		t.Fatal("no verdict")
	}
	return o.exp().Verdict
}

var diskLine = regexp.MustCompile(`(?m)^( *\d+ +\d+ )(\S+)((?: \d+)+)$`)

// disks changes the counters of the sender's drives in all of its captures: the columns behind the name, by their number from 0.
func (o *ofFile) disks(t *testing.T, change func(name string, v []uint64)) {
	t.Helper()
	n := 0
	for file, text := range o.files {
		if !strings.HasPrefix(file, "captures/host1.") {
			continue
		}
		o.files[file] = diskLine.ReplaceAllFunc(text, func(line []byte) []byte {
			m := diskLine.FindSubmatch(line)
			var v []uint64
			for _, f := range strings.Fields(string(m[3])) {
				var x uint64
				if _, err := fmt.Sscan(f, &x); err != nil {
					t.Fatal(err)
				}
				v = append(v, x)
			}
			if len(v) < 11 {
				return line
			}
			n++
			change(string(m[2]), v)
			return fmt.Appendf(nil, "%s%s %s", m[1], m[2], strings.Trim(fmt.Sprint(v), "[]"))
		})
	}
	if n == 0 {
		t.Fatal("the captures have no counters of drives")
	}
}

// grown changes what a counter of the file's drive grew by, as a factor.
func (o *ofFile) grown(t *testing.T, column int, factor float64) {
	t.Helper()
	least := ^uint64(0)
	device := o.exp().InEffect["source_device"]
	o.disks(t, func(name string, v []uint64) {
		if name == device {
			least = min(least, v[column])
		}
	})
	o.disks(t, func(name string, v []uint64) {
		if name == device {
			v[column] = least + uint64(factor*float64(v[column]-least))
		}
	})
}

// fromMemory adds the step of a chase that sends from memory, with what that made of the goodput.
func (o *ofFile) fromMemory(t *testing.T, factor float64) {
	t.Helper()
	b, err := json.Marshal(o.exp())
	if err != nil {
		t.Fatal(err)
	}
	x := &record.Experiment{}
	if err := json.Unmarshal(b, x); err != nil {
		t.Fatal(err)
	}
	delete(x.Settings, "source")
	for _, k := range []string{"source", "source_from", "source_device"} {
		delete(x.InEffect, k)
	}
	x.Chased = &record.Chased{For: o.exp().ID, Step: 1, Next: record.Next{Change: map[string]string{"source": ""}, Why: "to know"}}
	x.ID = record.ExperimentID(x)
	x.Goodput.Median *= factor
	for i := range x.Repeats {
		x.Repeats[i].Goodput, x.Repeats[i].Forward = x.Repeats[i].Goodput*factor, x.Repeats[i].Forward*factor
	}
	o.exp().Chase = append(o.exp().Chase, x)
}

const (
	readSectors = 2
	busyMillis  = 9
)

// A drive that is busy all the time and delivers what arrives is the verdict; what only looks like it is not.
func TestMediaLimit(t *testing.T) {
	drive := func(x *ofFile) *record.Account {
		for i := range x.exp().Accounts {
			if a := &x.exp().Accounts[i]; a.Name == "drive" {
				return a
			}
		}
		return nil
	}
	for _, c := range []struct {
		name       string
		change     func(*ofFile)
		limiter    string
		confidence string
		account    string // in its sentence or the reason why it is not known
	}{
		{"as it was", func(*ofFile) {}, "media-limit", "likely", "all of it came from the drive"},
		{"others read of it, too", func(x *ofFile) { x.grown(t, readSectors, 3) }, "media-limit", "likely", "the rest was read by somebody else"},
		{"others read of it, and the process does not say what it had of it", func(x *ofFile) {
			x.grown(t, readSectors, 3)
			x.exp().InEffect["source_from"] = "not known: reads of the file system fuse are not counted"
		}, "app-limited", "likely", "somebody else"},
		{"a program that stands still leaves the drive alone", func(x *ofFile) { x.grown(t, busyMillis, 0.3) }, "app-limited", "likely", "all of it came from the drive"},
		{"a busy drive, and the page cache has the file", func(x *ofFile) {
			x.grown(t, readSectors, 0.1)
			x.exp().InEffect["source_from"] = "page cache: 0 B of 22 MiB sent were read from the drive, the rest from the page cache"
		}, "app-limited", "likely", "the page cache"},
		{"a pace was asked for", func(x *ofFile) { x.exp().Settings["pace"] = "1G" }, "app-limited", "likely", "all of it"},
		{"from memory more arrives", func(x *ofFile) { x.fromMemory(t, 1.6) }, "media-limit", "proved", "all of it"},
		{"from memory no more arrives", func(x *ofFile) { x.fromMemory(t, 1.02) }, "app-limited", "likely", "all of it"},
		{"time of a busy drive that wraps", func(x *ofFile) {
			device, off := x.exp().InEffect["source_device"], uint64(0)
			x.disks(t, func(name string, v []uint64) {
				if name == device {
					off = max(off, v[busyMillis])
				}
			})
			x.disks(t, func(name string, v []uint64) {
				if name == device {
					v[busyMillis] = uint64(uint32(v[busyMillis] - off + 300))
				}
			})
		}, "media-limit", "likely", "all of it"},
		{"counters that were reset", func(x *ofFile) {
			device := x.exp().InEffect["source_device"]
			n := uint64(1 << 30)
			for _, file := range []string{"during-", "during2-", "during3-"} {
				n /= 2
				for name, text := range x.files {
					if strings.HasPrefix(name, "captures/host1."+file) {
						x.files[name] = regexp.MustCompile(device+` \d+ \d+ \d+`).ReplaceAll(text, fmt.Appendf(nil, "%s 1 1 %d", device, n))
					}
				}
			}
		}, "app-limited", "likely", "it went back"},
		{"a drive that was not there", func(x *ofFile) { x.exp().InEffect["source_device"] = "sdz" }, "app-limited", "likely", "the host has no such drive"},
		{"a file on no drive", func(x *ofFile) { delete(x.exp().InEffect, "source_device") }, "app-limited", "likely", "which block device the file is on is not known"},
		{"a file in memory", func(x *ofFile) { x.exp().InEffect["source_from"] = "memory (tmpfs)" }, "app-limited", "likely", "no drive takes part"},
		{"captures without counters of drives", func(x *ofFile) {
			for name, text := range x.files {
				x.files[name] = []byte(strings.ReplaceAll(string(text), "-- proc/diskstats --", "-- proc/nothing --"))
			}
		}, "app-limited", "likely", "it is not in its captures"},
		{"another system", func(x *ofFile) {
			for name, text := range x.files {
				if strings.HasPrefix(name, "captures/host1.") {
					x.files[name] = []byte(strings.Replace(strings.Replace(string(text), "\nos linux\n", "\n", 1), "\n", "\nos freebsd\n", 1))
				}
			}
		}, "", "", "the captures of freebsd have no counters of drives"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := keptFile(t, "slow-drive")
			for i := range x.exp().Repeats[0].CPU {
				if u := &x.exp().Repeats[0].CPU[i]; u.Core >= 0 { // other work filled the machine, and with it a program that is late says nothing
					u.User, u.Idle = 0, u.Idle+u.User
				}
			}
			c.change(x)
			v := x.explained(t)
			if c.limiter != "" && (v.Limiter != c.limiter || v.Confidence != c.confidence) || v.Limiter == "media-limit" && c.limiter == "" {
				t.Errorf("%s (%s), want %s (%s): %s", v.Limiter, v.Confidence, c.limiter, c.confidence, v.Sentence)
			}
			a := drive(x)
			if a == nil || !strings.Contains(a.Sentence+a.Why, c.account) {
				t.Fatalf("account %+v, want %q", a, c.account)
			}
			if v.Limiter != "media-limit" {
				return
			}
			device := x.exp().InEffect["source_device"]
			if len(v.Evidence) < 3 || !strings.Contains(v.Component, device) || !slices.Contains(strings.Split(v.Fix, "\n"), "on host1: cat "+x.exp().Settings["source"]+" >/dev/null") {
				t.Errorf("%+v", v)
			}
			if asked := v.Next != nil; asked != (len(x.exp().Chase) == 0) || asked && (len(v.Next.Change) != 1 || v.Next.Change["source"] != "" || !strings.Contains(v.NextExperiment, "--allow-source")) {
				t.Errorf("next %+v: %s", v.Next, v.NextExperiment)
			}
		})
	}
}

// chasedDrive is of a lab with the fault slow-drive: a run that chased by itself, and measured from memory in place of the file.
const chasedDrive = "made/chase-drive"

// What a run chased by itself settles it: from memory the link is full, so that it was the drive. Without that step the same run asks for it.
func TestMediaLimitChased(t *testing.T) {
	x := ofRun(t, chasedDrive)
	v := x.explained(t)
	if len(x.exp().Chase) != 1 || v.Limiter != "media-limit" || v.Confidence != "proved" || v.Next != nil {
		t.Fatalf("%s (%s), next %v: %s", v.Limiter, v.Confidence, v.Next, v.Sentence)
	}
	if s := x.exp().Chase[0]; s.Verdict == nil || s.Verdict.Limiter != link.ID || len(s.Settings["source"]) > 0 {
		t.Errorf("the step: %+v", s.Verdict)
	}
	if !slices.ContainsFunc(v.Evidence, func(e record.Evidence) bool { return strings.Contains(e.Text, "from memory in place of /mnt/data") }) {
		t.Errorf("%+v", v.Evidence)
	}
	x = ofRun(t, chasedDrive)
	x.exp().Chase = nil
	if v := x.explained(t); v.Limiter != "media-limit" || v.Confidence != "likely" || v.Next == nil || v.Next.Change["source"] != "" {
		t.Errorf("%s (%s), next %v", v.Limiter, v.Confidence, v.Next)
	}
	// Without the counters of drives the file is named by the step alone.
	x = ofRun(t, chasedDrive)
	for name, text := range x.files {
		x.files[name] = []byte(strings.ReplaceAll(string(text), "-- proc/diskstats --", "-- proc/nothing --"))
	}
	if v := x.explained(t); v.Limiter != "app-limited" {
		t.Errorf("%s: %s", v.Limiter, v.Sentence)
	}
}

// A file that memory has is sent at the link's rate, whatever its drive is; the account says where it came from.
func TestPageCacheIsNoDrive(t *testing.T) {
	x := keptFile(t, "healthy-file")
	v := x.explained(t)
	for _, a := range x.exp().Accounts {
		if a.Name == "drive" && (a.Closes == nil || *a.Closes || *a.Left.Value > 0.01**a.Right.Value || !strings.Contains(a.Sentence, "the page cache")) {
			t.Errorf("%+v", a)
		}
	}
	if v.Limiter != link.ID {
		t.Errorf("%s: %s", v.Limiter, v.Sentence)
	}
	// The same at a part of the rate, with the drive busy for others: it is not what is waited for.
	x = keptFile(t, "healthy-file")
	e := x.exp()
	e.Goodput.Median *= 0.4
	e.Repeats[0].Forward *= 0.4
	x.disks(t, func(name string, v []uint64) {
		if name == e.InEffect["source_device"] {
			v[busyMillis] += v[0] * 1000
		}
	})
	if v := x.explained(t); v.Limiter == "media-limit" {
		t.Errorf("%s: %s", v.Limiter, v.Sentence)
	}
}

// With a faster drive the link is the next ceiling; what holds it back today stays with more streams.
func TestWhatIfOfASlowDrive(t *testing.T) {
	x := keptFile(t, "slow-drive")
	x.explained(t)
	w := WhatIf([]*plan.Plan{PlanOf(t, x.run)}, x.run, x.read, record.Change{Drive: 24e9}, "")
	if len(w.Experiments) != 1 {
		t.Fatalf("%+v", w)
	}
	one := w.Experiments[0]
	if one.Stays == nil || *one.Stays || one.Predicted == nil || *one.Predicted.High > 190e6 || *one.Predicted.High < 180e6 {
		t.Errorf("%s: %+v", one.Sentence, one.Predicted)
	}
}
