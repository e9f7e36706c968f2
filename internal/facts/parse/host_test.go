package parse

import (
	"slices"
	"testing"
)

func TestCPUList(t *testing.T) {
	for list, want := range map[string][]int{"": {}, "0": {0}, "0-3,8": {0, 1, 2, 3, 8}, "8,0-1 ": {0, 1, 8},
		"0 1 2": {0, 1, 2}} {
		if got, err := ParseCPUList(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %v, %v", list, got, err)
		}
	}
	for _, list := range []string{"a", "3-1", "-1", "0-99999999", "0-8191,0-8191,0-8191"} {
		if got, err := ParseCPUList(list); err == nil {
			t.Errorf("%q is %v", list, got)
		}
	}
}
