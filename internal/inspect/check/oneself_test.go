package check

import "testing"

// A host that was asked under two names is one: nothing of it is there twice. Another boot with the same cards is a clone.
func TestOneHostTwice(t *testing.T) {
	for boot, want := range map[string]int{"b1": 0, "b2": 2} {
		w := load(t, nil)
		a, b := w.Hosts[0], w.Hosts[1]
		twin := *a.Facts
		a.Facts.Boot, twin.Boot = "b1", boot
		b.Facts = &twin
		found := 0
		for _, f := range Run(w, Choice{}).Findings {
			if f.ID == checkDuplicateMAC.ID && f.Subject == "b: e1" || f.ID == checkDuplicateAddress.ID && f.Subject == "address 10.1.0.1" {
				found++
			}
		}
		if found != want {
			t.Errorf("boots b1 and %s: %d found, want %d", boot, found, want)
		}
	}
}
