package result

import (
	"slices"
	"testing"

	"linerate/internal/record"
)

// Rows that look equal are told apart by the settings in which they differ, and by nothing else.
func TestApart(t *testing.T) {
	one := func(name, variant string, settings ...string) []*record.Experiment {
		e := &record.Experiment{Name: name, Variant: variant, Settings: map[string]string{}}
		for i := 0; i < len(settings); i += 2 {
			e.Settings[settings[i]] = settings[i+1]
		}
		return []*record.Experiment{e}
	}
	join := func(rows ...[]*record.Experiment) []*record.Experiment { return slices.Concat(rows...) }
	for _, c := range []struct {
		name string
		rows [][]*record.Experiment
		want []string
	}{
		{"a setting", [][]*record.Experiment{one("a", "", "size", "4KiB", "cache", "through"),
			one("b", "", "size", "4KiB", "cache", "direct")}, []string{"cache through", "cache direct"}},
		{"a setting of one", [][]*record.Experiment{one("a", "", "size", "4KiB"),
			one("b", "", "size", "4096 B", "sync", "true")},
			[]string{"", "sync true"}},
		{"the variant", [][]*record.Experiment{one("a", "", "size", "4KiB"), one("a", "ten", "size", "4KiB")},
			[]string{"", "variant ten"}},
		{"the name", [][]*record.Experiment{one("a", ""), one("b", ""), one("c", "")}, []string{"a", "b", "c"}},
		{"a setting and the name", [][]*record.Experiment{one("a", "", "depth", "1"), one("b", "", "depth", "1"),
			one("c", "", "depth", "8")}, []string{"depth 1, a", "depth 1, b", "depth 8, c"}},
		{"several experiments a row", [][]*record.Experiment{
			join(one("a", "", "depth", "1", "cache", "direct"), one("a", "", "depth", "8", "cache", "direct")),
			join(one("b", "", "depth", "1", "cache", "through"), one("b", "", "depth", "8", "cache", "through"))},
			[]string{"cache direct", "cache through"}},
	} {
		if got := Apart(c.rows); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A setting that one experiment has and another has not is in the table that has both.
func TestVaryingWithout(t *testing.T) {
	all := []*record.Experiment{{Name: "a", Settings: map[string]string{"size": "4KiB"}},
		{Name: "a", Settings: map[string]string{"size": "4KiB", "cache": "through"}},
		{Name: "b", Settings: map[string]string{"size": "4KiB"}}}
	if got := VaryingKeys(all); !slices.Equal(got["a"], []string{"cache"}) || len(got["b"]) != 0 {
		t.Errorf("%v", got)
	}
}
