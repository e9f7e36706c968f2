package facts

import "testing"

func FuzzFreeBSDLog(f *testing.F) {
	fuzz(f, "dmesg", func(text []byte) (*Facts, error) {
		v := new(Facts)
		return v, readFreeBSDLog(v, text)
	}, func(t *testing.T, v *Facts) {
		for _, e := range v.Events {
			if e.Count < 1 || e.Line == "" || e.Carries.Or(0) < 0 || e.Needs.Or(0) < 0 {
				t.Fatal(e)
			}
		}
	})
}
