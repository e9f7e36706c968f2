package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"

	"linerate/internal/record"
)

// enlarge makes a run of n experiments from a measured run: it repeats the experiments, each time with another size and
// pace, and changes each measured figure by up to the share spread. Ceilings are computed, and so only differ between
// sizes.
func enlarge(from *record.Run, n int, seed uint64, spread float64) *record.Run {
	draw := rand.New(rand.NewPCG(seed, 1))
	out := *from
	out.ID = "bnc" + string(rune('a'+seed))
	out.Experiments, out.Goals, out.Costs, out.Comparisons, out.Files = nil, from.Goals, nil, nil, nil
	templates := slices.DeleteFunc(slices.Clone(from.Experiments),
		func(e *record.Experiment) bool { return len(e.Repeats) == 0 })
	for i := range n {
		e := copyOf(reflect.ValueOf(templates[i%len(templates)]), draw, spread).Interface().(*record.Experiment)
		e.FollowUp, e.SameAs = nil, ""
		round := i / len(templates)
		ceiling := copyOf(reflect.ValueOf(templates[i%len(templates)].Ceiling), rand.New(rand.NewPCG(uint64(round%12), 2)),
			spread)
		reflect.ValueOf(&e.Ceiling).Elem().Set(ceiling)
		e.Settings = maps.Clone(e.Settings)
		e.Settings["size"] = fmt.Sprintf("%dB", 512<<(round%12))
		e.Settings["pace"] = fmt.Sprintf("%dG", 1+round/12)
		e.ID = record.ExperimentID(e)
		out.Experiments = append(out.Experiments, e)
	}
	return &out
}

// copyOf is a deep copy in which every figure that is not an integer is changed by up to the share spread.
func copyOf(v reflect.Value, draw *rand.Rand, spread float64) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Float64:
		out.SetFloat(v.Float() * (1 + spread*(2*draw.Float64()-1)))
	case reflect.Pointer:
		if !v.IsNil() {
			p := reflect.New(v.Type().Elem())
			p.Elem().Set(copyOf(v.Elem(), draw, spread))
			out.Set(p)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := out.Field(i); f.CanSet() {
				f.Set(copyOf(v.Field(i), draw, spread))
			}
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(copyOf(v.Index(i), draw, spread))
			}
		}
	}
	return out
}
