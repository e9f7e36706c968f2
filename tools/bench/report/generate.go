package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"

	"linerate/internal/record"
)

// many is a run of n experiments out of one that was measured: its own again and again, each time with another size and pace, and
// each measured figure another by up to spread. Ceilings are reckoned and not measured: they are another with each size alone.
func many(from *record.Run, n int, seed uint64, spread float64) *record.Run {
	draw := rand.New(rand.NewPCG(seed, 1))
	out := *from
	out.ID = "bnc" + string(rune('a'+seed))
	out.Experiments, out.Goals, out.Costs, out.Comparisons, out.Files = nil, from.Goals, nil, nil, nil
	template := slices.DeleteFunc(slices.Clone(from.Experiments), func(e *record.Experiment) bool { return len(e.Repeats) == 0 })
	for i := range n {
		e := copied(reflect.ValueOf(template[i%len(template)]), draw, spread).Interface().(*record.Experiment)
		e.Chase, e.SameAs = nil, ""
		turn := i / len(template)
		ceiling := copied(reflect.ValueOf(template[i%len(template)].Ceiling), rand.New(rand.NewPCG(uint64(turn%12), 2)), spread)
		reflect.ValueOf(&e.Ceiling).Elem().Set(ceiling)
		e.Settings = maps.Clone(e.Settings)
		e.Settings["size"] = fmt.Sprintf("%dB", 512<<(turn%12))
		e.Settings["pace"] = fmt.Sprintf("%dG", 1+turn/12)
		e.ID = record.ExperimentID(e)
		out.Experiments = append(out.Experiments, e)
	}
	return &out
}

// copied is a deep copy in which every figure that is no whole number is another by up to spread.
func copied(v reflect.Value, draw *rand.Rand, spread float64) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Float64:
		out.SetFloat(v.Float() * (1 + spread*(2*draw.Float64()-1)))
	case reflect.Pointer:
		if !v.IsNil() {
			p := reflect.New(v.Type().Elem())
			p.Elem().Set(copied(v.Elem(), draw, spread))
			out.Set(p)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := out.Field(i); f.CanSet() {
				f.Set(copied(v.Field(i), draw, spread))
			}
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(copied(v.Index(i), draw, spread))
			}
		}
	}
	return out
}
