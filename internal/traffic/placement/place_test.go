package placement

import (
	"slices"
	"testing"
)

func TestPlacement(t *testing.T) {
	all := []int{0, 1, 2, 5, 6}
	for _, c := range []struct {
		place Rule
		side  string
		cores []int
		want  []int
		text  string
	}{
		{Free, "from", all, nil, "free"},
		{Apart, "from", all, []int{0, 1, 2}, "cores 0-2"},
		{Apart, "to", all, []int{5, 6}, "cores 5,6"},
		{Together, "to", all, all, "cores 0-2,5,6"},
		{Spread, "from", all, all, "cores 0-2,5,6"},
		{Apart, "from", []int{3}, nil, "free"},
		{Together, "from", nil, nil, "free"},
	} {
		if got := c.place.Cores(c.side == "from", c.cores); !slices.Equal(got, c.want) || CoresText(got) != c.text {
			t.Errorf("%v %s of %v: %v %q, want %v %q", c.place, c.side, c.cores, got, CoresText(got), c.want, c.text)
		}
	}
}

func TestParseCores(t *testing.T) {
	for text, want := range map[string][]int{"0": {0}, "0,2,4-7": {0, 2, 4, 5, 6, 7}, " 3 , 1": {3, 1}, "": nil,
		"a": nil, "3-1": nil, "-1": nil, "0-99999": nil, "1,": nil} {
		got, err := ParseCores(text)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %v %v, want %v", text, got, err, want)
		}
	}
}

func FuzzParseCores(f *testing.F) {
	f.Add("0,2,4-7")
	f.Add("-,--1")
	f.Fuzz(func(t *testing.T, text string) {
		cores, err := ParseCores(text)
		for _, c := range cores {
			if err != nil || c < 0 || c >= MostCores {
				t.Errorf("%q: %v, %v", text, cores, err)
			}
		}
	})
}
