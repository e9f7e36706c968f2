package plan_test

import "testing"

// TestLoops expects marks at the links that a spanning tree blocks, no path over them, and a path between all hosts.
func TestLoops(t *testing.T) {
	p := build(t, "designs/leaf-spine-16")
	blocked := 0
	for _, l := range p.Links {
		if l.Loop {
			blocked++
		}
	}
	if blocked != 11 { // 16 cables between 6 switches, of which a tree takes 5
		t.Errorf("%d links are blocked", blocked)
	}
	for _, peer := range []string{"n04", "n05", "n16"} {
		paths := p.Paths("n01", peer)
		if len(paths) != 1 {
			t.Fatalf("%d paths to %s", len(paths), peer)
		}
		for _, l := range paths[0].Links {
			if l.Loop {
				t.Errorf("the path to %s goes over %s, which is blocked", peer, l.Name)
			}
		}
	}
	for _, name := range []string{"mesh-10g", "roce-100g", "designs/all-families"} {
		for _, l := range build(t, name).Links {
			if l.Loop {
				t.Errorf("%s: %s is said to close a loop", name, l.Name)
			}
		}
	}
}
