package run

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/traffic"
)

func unhurried(t *testing.T) *session {
	t.Helper()
	folder, err := runfolder.Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	return &session{run: &record.Run{}, cfg: Config{Folder: folder}}
}

// A start that comes late is sent again, earlier; what fails for another reason is not, and neither is what stays late.
func TestPunctual(t *testing.T) {
	s := unhurried(t)
	late := &traffic.Error{Code: traffic.CodeLate, Text: "the start came late"}
	var leads []time.Duration
	err := s.punctual(t.Context(), func(lead time.Duration) error {
		if leads = append(leads, lead); len(leads) == 1 {
			return late
		}
		return nil
	})
	if err != nil || len(leads) != 2 || leads[0] != 0 || leads[1] != leadFirst || s.lead != leadFirst || len(s.run.Warnings) != 1 || !strings.Contains(s.run.Warnings[0], "the start came") || !strings.Contains(s.run.Warnings[0], "measured again") {
		t.Errorf("leads %v, then %v, %q: %v", leads, s.lead, s.run.Warnings, err)
	}
	for _, c := range []struct {
		fails error
		tries int
	}{{late, 1 + lateTries}, {&traffic.Error{Code: traffic.CodeTimeout}, 1}, {errors.New("other"), 1}} {
		tries := 0
		if err := s.punctual(t.Context(), func(time.Duration) error { tries++; return c.fails }); err != c.fails || tries != c.tries {
			t.Errorf("%v: %d tries, %v", c.fails, tries, err)
		}
	}
}

// Agents say of a start that has come too late, as from a host that was stopped for a moment, that it is late.
func TestStartThatIsLate(t *testing.T) {
	t.Parallel()
	s := unhurried(t)
	from, to := twoAgents(t)
	spec := loopback("stream", traffic.Out, 1)
	s.lead = -5 * time.Second
	tries := 0
	err := s.punctual(t.Context(), func(lead time.Duration) error {
		tries++
		spec.Lead = lead
		_, _, err := Repeat(t.Context(), from, to, spec, nil)
		return err
	})
	if err != nil || tries < 2 || s.lead < leadFirst || len(s.run.Warnings) != tries-1 || !strings.Contains(s.run.Warnings[0], "the start came") {
		t.Errorf("%d tries, then a lead of %v, %q: %v", tries, s.lead, s.run.Warnings, err)
	}
}

// A window is looked at at its moments; a look that would begin late, because those before it took long, is left out.
func TestInWindow(t *testing.T) {
	for name, c := range map[string]struct {
		window, takes time.Duration
		want          []time.Duration // since the window opened
	}{
		"several":     {8 * time.Second, 10 * time.Millisecond, []time.Duration{time.Second, 4 * time.Second, 6500 * time.Millisecond}},
		"short":       {400 * time.Millisecond, 10 * time.Millisecond, []time.Duration{200 * time.Millisecond}},
		"slow":        {8 * time.Second, 3500 * time.Millisecond, []time.Duration{time.Second, 4500 * time.Millisecond}},
		"very slow":   {8 * time.Second, 6200 * time.Millisecond, []time.Duration{time.Second, 7200 * time.Millisecond}},
		"longer than": {8 * time.Second, time.Minute, []time.Duration{time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				open := time.Now().Add(time.Second)
				var got []time.Duration
				inWindow(t.Context(), traffic.Now()+int64(time.Second), c.window, func() {
					got = append(got, time.Since(open))
					time.Sleep(c.takes)
				})
				if !slices.Equal(got, c.want) {
					t.Errorf("looks at %v, want %v", got, c.want)
				}
			})
		})
	}
}
