package report

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"linerate/internal/record"
)

func TestJSON(t *testing.T) {
	for name := range fixtures {
		var b bytes.Buffer
		if err := JSON(&b, fixture(t, name)); err != nil {
			t.Fatal(err)
		}
		safe(t, b.String())
		back := new(record.Run)
		if err := json.Unmarshal(b.Bytes(), back); err != nil || back.Fabric != fixture(t, name).Fabric || back.Hosts != nil && back.Hosts[0].Name != fixture(t, name).Hosts[0].Name {
			t.Errorf("%s does not come back as it was: %v", name, err)
		}
		var v struct {
			Schema      string
			Experiments []struct {
				Goodput *struct {
					Median   float64
					Interval string
				}
				Verdict *struct{ Limiter string }
			}
			Goals []struct{ Met *bool }
		}
		if err := json.Unmarshal(b.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if v.Schema != RunSchema || len(v.Experiments) == 0 {
			t.Errorf("%s: schema %q, %d experiments", name, v.Schema, len(v.Experiments))
		}
	}
	var b bytes.Buffer
	nan := &record.Run{Experiments: []*record.Experiment{{Goodput: &record.Estimate{Median: math.NaN()}}}}
	if err := JSON(&b, nan); err == nil || b.Len() > 0 {
		t.Errorf("NaN: error %v, %d bytes written", err, b.Len())
	}
}
