package fabric

import "testing"

func TestBlockLoads(t *testing.T) {
	for text, want := range map[string]int{"SEQ1M-Q8T1": 1, "RND4K-Q32T16:70%": 1, "MIX80-8K-Q8T1": 1, "MIX80-8K-Q8T1:100%+MIX20-32K-Q8T1:0%": 2,
		"": 0, "MIX0-8K-Q8T1": 0, "MIX8K-Q8T1": 0, "RND4K-Q1T1+RND8K-Q1T1:0%": 0, "RND4K-Q1T1:101%": 0, "RND4K-Q1T1:": 0, "RND4K-Q1T1:50%+": 0,
		"RND4K-Q1T1:1%+RND4K-Q1T1:1%+RND4K-Q1T1:1%+RND4K-Q1T1:1%+RND4K-Q1T1:1%+RND4K-Q1T1:1%+RND4K-Q1T1:1%+RND4K-Q1T1:1%+RND4K-Q1T1:1%": 0} {
		parts, ok := ParseBlockLoads(text)
		if ok != (want > 0) || ok && len(parts) != want {
			t.Errorf("%q: %+v, %v", text, parts, ok)
		}
	}
	parts, _ := ParseBlockLoads("MIX80-8K-Q8T2:100%+SEQ32K-Q1T1:0%")
	if a, b := parts[0], parts[1]; a.Random != 0.8 || a.Order != "MIX" || a.Size != 8192 || a.Depth != 8 || a.Threads != 2 || a.Read != "100%" || b.Random != 0 || b.Order != "SEQ" || b.Text != "SEQ32K-Q1T1:0%" {
		t.Errorf("%+v", parts)
	}
}
