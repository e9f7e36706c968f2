package record

import (
	"slices"
	"testing"
)

// The bytes of drives that are made of each other are counted once.
func TestTops(t *testing.T) {
	none := []string{}
	for name, c := range map[string]struct {
		drives []DriveCount
		want   []string
	}{
		"one":              {[]DriveCount{{Name: "sda"}}, []string{"sda"}},
		"two side by side": {[]DriveCount{{Name: "sda", MadeOf: none}, {Name: "sdb", MadeOf: none}}, []string{"sda", "sdb"}},
		"an array": {[]DriveCount{{Name: "md0", MadeOf: []string{"sda1", "sdb1"}},
			{Name: "sda1", MadeOf: []string{"sda"}}, {Name: "sdb1", MadeOf: []string{"sdb"}}}, []string{"md0"}},
		"two mapped, side by side": {[]DriveCount{{Name: "dm-0", MadeOf: []string{"sda"}}, {Name: "sda", MadeOf: none},
			{Name: "dm-1", MadeOf: []string{"sdb"}}, {Name: "sdb", MadeOf: none}}, []string{"dm-0", "dm-1"}},
		"a partition, and its disk": {[]DriveCount{{Name: "sda", MadeOf: none}, {Name: "sda1", MadeOf: []string{"sda"}}},
			[]string{"sda1"}},
		"what they are is not known":  {[]DriveCount{{Name: "dm-0"}, {Name: "sda"}}, nil},
		"what one of them is neither": {[]DriveCount{{Name: "dm-0", MadeOf: none}, {Name: "sda"}}, nil},
	} {
		var got []string
		for _, d := range Tops(c.drives) {
			got = append(got, d.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v", name, got, c.want)
		}
	}
}
