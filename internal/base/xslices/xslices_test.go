package xslices

import (
	"maps"
	"slices"
	"strconv"
	"testing"
)

func TestMap(t *testing.T) {
	if got := Map([]int{3, 1}, strconv.Itoa); !slices.Equal(got, []string{"3", "1"}) {
		t.Errorf("%q", got)
	}
	if got := Map([]int{}, strconv.Itoa); got != nil {
		t.Errorf("%q of no element, want nil", got)
	}
}

func TestFilterAndFind(t *testing.T) {
	odd := func(n int) bool { return n%2 == 1 }
	if got := Filter([]int{4, 3, 2, 1}, odd); !slices.Equal(got, []int{3, 1}) {
		t.Errorf("%d", got)
	}
	if got := Filter([]int{4, 2}, odd); got != nil {
		t.Errorf("%d of even numbers, want nil", got)
	}
	if got, ok := Find([]int{4, 3, 1}, odd); got != 3 || !ok {
		t.Errorf("%d, %v", got, ok)
	}
	if got, ok := Find([]int{4}, odd); got != 0 || ok {
		t.Errorf("%d, %v of even numbers", got, ok)
	}
	if got := First([]int{4, 3, 1}, odd); got != 3 {
		t.Errorf("%d", got)
	}
	list := []int{4, 3, 1}
	if got := At(list, func(n *int) bool { return *n < 4 }); got != &list[1] {
		t.Errorf("%p", got)
	}
	if got := At(list, func(n *int) bool { return *n > 4 }); got != nil {
		t.Errorf("%p where nothing fits", got)
	}
}

func TestCountAndSum(t *testing.T) {
	if got := Count([]string{"a", "", "b"}, func(s string) bool { return s != "" }); got != 2 {
		t.Errorf("%d", got)
	}
	if got := Sum([]string{"ab", "c"}, func(s string) float64 { return float64(len(s)) }); got != 3 {
		t.Errorf("%g", got)
	}
}

func TestMaps(t *testing.T) {
	if got := Set([]int{1, 2, 1}); !maps.Equal(got, map[int]bool{1: true, 2: true}) {
		t.Errorf("%v", got)
	}
	if got := SetOf([]int{1, 2}, strconv.Itoa); !maps.Equal(got, map[string]bool{"1": true, "2": true}) {
		t.Errorf("%v", got)
	}
	if got := By([]int{1, 2, 11}, func(n int) int { return n % 10 }); !maps.Equal(got, map[int]int{1: 11, 2: 2}) {
		t.Errorf("%v", got)
	}
	if Set[int](nil) == nil || SetOf(nil, strconv.Itoa) == nil || By(nil, strconv.Itoa) == nil {
		t.Error("a nil map of no element")
	}
}

func TestAppendNew(t *testing.T) {
	if got := AppendNew(AppendNew([]int{1}, 2), 1); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("%d", got)
	}
}
