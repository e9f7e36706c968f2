package run

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/measure"
	"linerate/result"
)

// A start that comes late is sent again, earlier; what fails for another reason is not, and neither is what stays late.
func TestPunctual(t *testing.T) {
	folder, err := result.Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	s := &session{run: &result.Run{}, cfg: Config{Folder: folder}}
	from, to := twoAgents(t)
	spec := loopback("stream", measure.Out, 1)
	tries := 0
	s.lead = -5 * time.Second // a start that has arrived too late, as from a host that was stopped for a moment
	err = s.punctual(t.Context(), func(lead time.Duration) error {
		tries++
		spec.Lead = lead
		_, _, err := Repeat(t.Context(), from, to, spec, nil)
		return err
	})
	if err != nil || tries != 2 || s.lead != leadFirst || len(s.run.Warnings) != 1 || !strings.Contains(s.run.Warnings[0], "the start came") || !strings.Contains(s.run.Warnings[0], "measured again") {
		t.Errorf("%d tries, then a lead of %v, %q: %v", tries, s.lead, s.run.Warnings, err)
	}
	for _, c := range []struct {
		fails error
		tries int
	}{{&measure.Error{Code: measure.CodeLate}, 1 + lateTries}, {&measure.Error{Code: measure.CodeTimeout}, 1}, {errors.New("other"), 1}} {
		tries = 0
		if err := s.punctual(t.Context(), func(time.Duration) error { tries++; return c.fails }); err != c.fails || tries != c.tries {
			t.Errorf("%v: %d tries, %v", c.fails, tries, err)
		}
	}
}
