package parse

import (
	"testing"
)

func TestNodes(t *testing.T) {
	for text, want := range map[string]int{"0\n": 1, "0-1": 2, "0,2-3\n": 3} {
		if n, err := parseNodes([]byte(text)); err != nil || n != want {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	for _, text := range []string{"", "a", "1-0", "-1", "0-99999999999", "0,"} {
		if n, err := parseNodes([]byte(text)); err == nil {
			t.Errorf("%q: %d", text, n)
		}
	}
}
