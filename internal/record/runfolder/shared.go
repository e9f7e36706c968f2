package runfolder

import (
	"crypto/sha256"
	"encoding/json"

	"linerate/internal/record"
)

// shared decodes values whose text is the same in many experiments only once, such as the ceilings of one path at one
// MTU. The experiments share the value, which must not be changed. A run of ten thousand takes half the memory.
type shared struct {
	ceilings once[*record.Chain]
	ends     once[[]record.End]
	links    once[[]string]
	settings once[map[string]string]
}

func newShared() *shared {
	return &shared{once[*record.Chain]{}, once[[]record.End]{}, once[[]string]{}, once[map[string]string]{}}
}

// once holds the values that were read, by the SHA-256 of their text.
type once[T any] map[[sha256.Size]byte]T

// alike is a value that is decoded once.
type alike[T any] struct {
	of    once[T]
	value T
}

func (a *alike[T]) UnmarshalJSON(b []byte) error {
	sum := sha256.Sum256(b)
	v, ok := a.of[sum]
	if !ok {
		if err := json.Unmarshal(b, &v); err != nil {
			return err
		}
		a.of[sum] = v
	}
	a.value = v
	return nil
}

// sharing is an experiment whose shared fields hide its own.
type sharing struct {
	*record.Experiment
	Ceiling  alike[*record.Chain]     `json:"ceiling"`
	Ends     alike[[]record.End]      `json:"ends"`
	Links    alike[[]string]          `json:"links"`
	Settings alike[map[string]string] `json:"settings"`
	InEffect alike[map[string]string] `json:"in_effect"`
}

// decode reads the next experiment, nil if it is null. With an error for a wrong type it returns the rest.
func (s *shared) decode(d *json.Decoder) (*record.Experiment, error) {
	e := &sharing{Ceiling: alike[*record.Chain]{of: s.ceilings}, Ends: alike[[]record.End]{of: s.ends},
		Links: alike[[]string]{of: s.links}, Settings: alike[map[string]string]{of: s.settings},
		InEffect: alike[map[string]string]{of: s.settings}}
	err := d.Decode(&e)
	if e == nil {
		return nil, err
	}
	if e.Experiment == nil {
		e.Experiment = &record.Experiment{}
	}
	x := e.Experiment
	x.Ceiling, x.Ends, x.Links, x.Settings, x.InEffect = e.Ceiling.value, e.Ends.value, e.Links.value, e.Settings.value,
		e.InEffect.value
	return x, err
}
