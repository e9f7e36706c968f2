package run

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/agent"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/facts/snapshot"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/run/runtest"
)

// A run folder, which people show to others, contains neither serial numbers nor secrets. Equal values stay equal, and
// the snapshot is complete. With --keep-serials it is as the host reported it.
func TestSnapshotsAreMasked(t *testing.T) {
	const text = "schema linerate/snapshot/1\nhost h\nos linux\nlevel full\n-- ethtool -m e1 --\n\tVendor SN         " +
		"                        : MT1234X05678\n" +
		"-- nvme list -o json --\n{\"Devices\":[{\"DevicePath\":\"/dev/nvme0n1\",\"SerialNumber\":\"MT1234X05678\"}]}\n" +
		"-- proc/mounts --\n//10.0.0.2/s /mnt cifs rw,username=u,pass=geheim1 0 0\n"
	for _, keep := range []bool{false, true} {
		from, to := runtest.TwoOnPipes(t, text)
		folder, err := runfolder.Create(filepath.Join(t.TempDir(), "run"))
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		s := &session{cfg: Config{Folder: folder, KeepSerials: keep}, run: &record.Run{},
			clients: map[string]*agent.Client{"a": from, "b": to}, last: map[string]*facts.Facts{}}
		if !keep {
			s.mask = snapshot.NewMasker()
		}
		if err := s.readEvidence(t.Context(), "before-x", facts.Full, "a", "b"); err != nil {
			t.Fatal(err)
		}
		if len(s.run.Warnings) > 0 {
			t.Fatal(s.run.Warnings)
		}
		var texts []string
		for _, host := range []string{"a", "b"} {
			text, err := os.ReadFile(filepath.Join(folder.Path, runfolder.SnapshotsName, host+".before-x.txtar"))
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
			has := strings.Contains(string(text), "MT1234X05678") || strings.Contains(string(text), "geheim1")
			if has != keep || !keep && strings.Count(string(text), "masked-") != 2 {
				t.Errorf("keep %v: %s", keep, text)
			}
			f, err := read.Parse(text)
			if err != nil || f.Host != "h" {
				t.Errorf("%v %+v", err, f)
			}
			for _, u := range f.Unknown {
				if strings.Contains(u.Reason, "cut") {
					t.Error(u)
				}
			}
		}
		if texts[0] != texts[1] {
			t.Errorf("what is equal is masked differently:\n%s\n%s", texts[0], texts[1])
		}
	}
}

// The record has every value where repeats differ.
func TestEffects(t *testing.T) {
	e := &record.Experiment{InEffect: map[string]string{"mtu": "1500"}, Repeats: []record.Repeat{
		{InEffect: map[string]string{"label": "A", "send_buffer": "1 MiB"}},
		{InEffect: map[string]string{"label": "A", "send_buffer": "512 KiB"}},
		{InEffect: map[string]string{"label": "A", "send_buffer": "1 MiB"}, Streams: []record.Stream{
			{Direction: "out"},
			{Direction: "out"},
			{Direction: "in"},
			{Direction: "in"},
			{Direction: "in", Flow: 1},
			{Direction: "out", Flow: 1},
		}},
	}}
	effects(e)
	if want := map[string]string{"mtu": "1500", "label": "A", "send_buffer": "1 MiB; 512 KiB",
		"streams": "2"}; !maps.Equal(e.InEffect, want) {
		t.Errorf("%v, want %v", e.InEffect, want)
	}
}
