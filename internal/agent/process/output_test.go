package process

import "testing"

// An output keeps its beginning and its end.
func TestOutput(t *testing.T) {
	o := NewOutput(8)
	for _, s := range []string{"a", "bcd", "efghijkl", "mn"} {
		_, _ = o.Write([]byte(s))
	}
	if got := o.Kept(); string(got.Text) != "abijklmn" || got.Left != 6 {
		t.Errorf("kept %q, left out %d", got.Text, got.Left)
	}
}

func TestLastLines(t *testing.T) {
	if got := LastLines(nil, []byte("1\n2\n-----\n3\x1b[31m\n\n4\n5\n")); got != "2 | 3[31m | 4 | 5" {
		t.Errorf("%q", got)
	}
	if got := LastLines(nil, []byte("\n")); got != "" {
		t.Errorf("%q", got)
	}
}
