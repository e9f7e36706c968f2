package headline

import "testing"

func TestFirstSentence(t *testing.T) {
	for in, want := range map[string][2]string{
		"One. Two.": {"One.", "Two."},
		"its window stops at 64 KiB (net.ipv4.tcp_rmem). 3 tests were not run.": {"its window stops at 64 KiB " +
			"(net.ipv4.tcp_rmem).", "3 tests were not run."},
		"Every path is full. nas -> desk: 64 MiB copied.": {"Every path is full.", "nas -> desk: 64 MiB copied."},
		"One at 1.5 Gb/s": {"One at 1.5 Gb/s", ""},
		"":                {"", ""},
	} {
		if a, b := FirstSentence(in); a != want[0] || b != want[1] {
			t.Errorf("%q: %q, %q", in, a, b)
		}
	}
}
