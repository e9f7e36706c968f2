package explain

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/fault"
	"linerate/result"
)

// recordExam keeps what an exam left behind: a run folder a fault that was found, and one a terrain of a healthy lab.
//
//	linerate lab exam examples/exam.yaml --seed 2 -o DIR; go test ./explain -run TestExam -record-exam DIR
var recordExam = flag.String("record-exam", "", "folder of an exam (lab exam -o) whose run folders are to be kept")

const examFolder = "testdata/exam"

// examined is a kept run folder with what was true of it.
type examined struct {
	name  string // of the fault; healthy-TERRAIN
	truth []string
	files map[string][]byte
}

func examinedFolders(t *testing.T) (out []examined) {
	t.Helper()
	entries, err := os.ReadDir(examFolder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		x, err := unpack(filepath.Join(examFolder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if terrain, ok := strings.CutPrefix(x.name, "healthy-"); ok {
			terrain, transport, _ := strings.Cut(terrain, "-")
			x.truth = fault.Healthy(fault.Terrain(terrain), transport)
		} else if f := fault.Find(x.name); f != nil {
			x.truth = []string{f.Cause}
		} else {
			t.Errorf("%s: there is no such fault any more", e.Name())
		}
		out = append(out, x)
	}
	return out
}

// unpack reads what pack kept.
func unpack(name string) (x examined, err error) {
	x = examined{name: strings.TrimSuffix(filepath.Base(name), ".tar.gz"), files: map[string][]byte{}}
	b, err := os.ReadFile(name)
	if err != nil {
		return x, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return x, fmt.Errorf("%s: %w", name, err)
	}
	in := tar.NewReader(z)
	for {
		h, err := in.Next()
		if err == io.EOF {
			return x, nil
		}
		if err != nil {
			return x, fmt.Errorf("%s: %w", name, err)
		}
		if x.files[h.Name], err = io.ReadAll(in); err != nil {
			return x, fmt.Errorf("%s: %w", name, err)
		}
	}
}

// verdict explains the folder with a table of causes.
func (x examined) verdict(t *testing.T, table []Cause) *result.Verdict {
	t.Helper()
	var r result.Run
	if err := json.Unmarshal(x.files[result.ManifestName], &r); err != nil {
		t.Fatal(err)
	}
	whole := causes
	causes = table
	defer func() { causes = whole }()
	Run(PlanOf(t, &r), &r, func(name string) ([]byte, error) {
		if b, ok := x.files[name]; ok {
			return b, nil
		}
		return nil, os.ErrNotExist
	})
	if len(r.Experiments) == 0 || r.Experiments[0].Verdict == nil {
		return &result.Verdict{}
	}
	return r.Experiments[0].Verdict
}

// What labs with faults left behind leads to their causes, and what healthy ones left behind to their ceilings.
func TestExam(t *testing.T) {
	if *recordExam != "" {
		keepExam(t, *recordExam)
	}
	named := map[string]bool{}
	for _, x := range examinedFolders(t) {
		v := x.verdict(t, causes)
		named[v.Limiter] = true
		if !slices.Contains(x.truth, v.Limiter) {
			t.Errorf("%s: %s, want %v: %s", x.name, v.Limiter, x.truth, v.Sentence)
		}
	}
	for _, f := range fault.All() {
		if !named[f.Cause] {
			t.Errorf("no folder is kept in which %s is the verdict (fault %[2]s): linerate lab exam examples/exam.yaml --seed 2 --only %[2]s -o DIR; go test ./explain -run TestExam$ -record-exam DIR", f.Cause, f.ID)
		}
	}
}

// A route's window stays in what the kernel remembers of an address when the route is changed.
func TestClampIsForgotten(t *testing.T) {
	x, err := unpack(filepath.Join(examFolder, "route-cwnd.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if v := x.verdict(t, causes); v.Limiter != cwndClamp.ID || v.Confidence != "proved" || !slices.Contains(strings.Split(v.Fix, "\n"), "ip tcp_metrics flush 10.9.1.2") {
		t.Errorf("%s (%s): %s", v.Limiter, v.Confidence, v.Fix)
	}
}

// Every cause counts: without it fewer folders are explained rightly. Those of which it is not the verdict are explained as before: causes
// are asked one after another.
func TestExamWithoutACause(t *testing.T) {
	by := map[string][]examined{}
	for _, x := range examinedFolders(t) {
		if v := x.verdict(t, causes); slices.Contains(x.truth, v.Limiter) {
			by[v.Limiter] = append(by[v.Limiter], x)
		}
	}
	for _, f := range fault.All() {
		folders, asked := by[f.Cause]
		if !asked {
			continue // none is kept, which TestExam says, or another fault has led to it already
		}
		delete(by, f.Cause)
		without := slices.DeleteFunc(slices.Clone(causes), func(c Cause) bool { return c.ID == f.Cause })
		lost := 0
		for _, x := range folders {
			if !slices.Contains(x.truth, x.verdict(t, without).Limiter) {
				lost++
			}
		}
		if lost == 0 {
			t.Errorf("without %s all %d of its folders are explained as rightly as with it", f.Cause, len(folders))
		}
	}
}

// keepExam replaces kept folders by those of an exam that were explained rightly.
func keepExam(t *testing.T, dir string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "exam.json"))
	if err != nil {
		t.Fatal(err)
	}
	var x struct {
		Outcomes []struct{ Fault, Terrain, Transport, Mark, Folder string }
	}
	if err := json.Unmarshal(b, &x); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(examFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	for _, o := range x.Outcomes {
		name := o.Fault
		if name == "" {
			name = strings.TrimSuffix("healthy-"+o.Terrain+"-"+o.Transport, "-")
		}
		if o.Mark != "right" || kept[name] {
			continue
		}
		kept[name] = true
		if err := pack(filepath.Join(dir, o.Folder, "blind"), filepath.Join(examFolder, name+".tar.gz")); err != nil {
			t.Fatal(err)
		}
	}
}

// pack keeps a run folder without what is of the machine alone.
func pack(dir, to string) error {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	in := tar.NewWriter(z)
	names, err := filepath.Glob(filepath.Join(dir, result.CapturesName, "*"))
	if err != nil {
		return err
	}
	for _, name := range append(names, filepath.Join(dir, result.ManifestName)) {
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		short, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if filepath.Base(name) != result.ManifestName {
			b = withoutMachine(b)
		}
		if err := in.WriteHeader(&tar.Header{Name: filepath.ToSlash(short), Mode: 0o644, Size: int64(len(b))}); err != nil {
			return err
		}
		if _, err := in.Write(b); err != nil {
			return err
		}
	}
	if err := errors.Join(in.Close(), z.Close()); err != nil {
		return err
	}
	return os.WriteFile(to, out.Bytes(), 0o644)
}

// withoutMachine leaves out of a capture what says which machine it was taken on and no cause reads. Interrupts are kept where they are those of a
// card that a lab's host tells of.
func withoutMachine(b []byte) []byte {
	var out bytes.Buffer
	keep, told := true, bytes.Contains(b, []byte("@pci:0000:41:00.0"))
	for line := range bytes.Lines(b) {
		if name, ok := bytes.CutPrefix(line, []byte("-- ")); ok && bytes.HasSuffix(name, []byte(" --\n")) {
			keep = !slices.ContainsFunc([]string{"proc/cmdline", "lsblk", "proc/mounts", "proc/interrupts", "proc/cpuinfo", "proc/meminfo", "proc/net/snmp6", "ethtool -k house", "ip -j -6", "grep . /sys/module"}, func(s string) bool {
				return bytes.HasPrefix(name, []byte(s)) && !(told && s == "proc/interrupts")
			})
		}
		if bytes.HasPrefix(line, []byte("kernel ")) {
			line = []byte("kernel 6.12.0\n")
		}
		if keep {
			out.Write(line)
		}
	}
	return out.Bytes()
}
