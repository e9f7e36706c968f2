package diag

import (
	"errors"
	"fmt"
	"testing"
)

// What is wrong is found in the text of an error around an advised one, which prints everything in one line.
func TestAdvised(t *testing.T) {
	wrong := errors.New("0 bytes")
	a := Advise(wrong, "write 4K", "omit it").Note("a page has 4096")
	if a.Error() != "0 bytes; a page has 4096; write 4K; omit it" || !errors.Is(a, wrong) {
		t.Error(a)
	}
	if what, ok := a.What(fmt.Errorf("--block: %w", a).Error()); what != "--block: 0 bytes" || !ok {
		t.Error(what, ok)
	}
	if what, ok := a.What(fmt.Errorf("%w, and more", a).Error()); ok {
		t.Error(what)
	}
}
