package parse

import (
	"slices"
	"testing"
)

func TestCPUMask(t *testing.T) {
	for text, want := range map[string][]int{
		"0": nil, "00000000,00000000": nil, "3": {0, 1}, "00000001,0000ff00": {8, 9, 10, 11, 12, 13, 14, 15, 32},
		"1,00000000,00000000": {64},
	} {
		set, ok := parseCPUMask(text)
		if !ok || !slices.Equal(set.List(), want) {
			t.Errorf("%s: %v, %v", text, set.List(), ok)
		}
	}
	for _, text := range []string{"", ",", "0-3", "xyz", "1 2"} {
		if set, ok := parseCPUMask(text); ok {
			t.Errorf("%q is not a mask, and it is read as %v", text, set)
		}
	}
}
