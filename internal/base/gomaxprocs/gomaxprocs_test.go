package gomaxprocs

import (
	"runtime"
	"testing"
)

func TestReserve(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	first := Reserve(3)
	if got := runtime.GOMAXPROCS(0); got != 3+rest {
		t.Errorf("for 3 threads: %d", got)
	}
	second := Reserve(5)
	if got := runtime.GOMAXPROCS(0); got != 3+5+rest {
		t.Errorf("for 3 and 5 threads at the same time: %d", got)
	}
	first()
	second()
	Reserve(2)()
	if got := runtime.GOMAXPROCS(0); got != 3+5+rest {
		t.Errorf("it fell to %d", got)
	}
	AtLeast(40)
	AtLeast(4)
	if got := runtime.GOMAXPROCS(0); got != 40 {
		t.Errorf("raised to 40, it is %d", got)
	}
}
