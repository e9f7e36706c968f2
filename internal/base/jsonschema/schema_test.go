package jsonschema

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"linerate/internal/base/unit"
)

type inner struct {
	A int `json:"a"`
}

type tree struct {
	inner
	Name   string             `json:"name"`
	When   time.Time          `json:"when"`
	Maybe  *float64           `json:"maybe"`
	Opt    unit.Opt[string]   `json:"opt"`
	Below  []*tree            `json:"below,omitempty"`
	Counts map[string]uint64  `json:"counts"`
	Pair   [2]int             `json:"pair"`
	Skip   chan int           `json:"-"`
	Any    any                `json:"any,omitempty"`
	Anon   struct{ B bool }   `json:"anon"`
	Named  map[string][]inner `json:"named,omitempty"`
	own    int
}

// TestOf: a schema accepts what encoding/json writes, and no value with a key more, a key less or another type.
func TestOf(t *testing.T) {
	o, err := (&Maker{}).Of(reflect.TypeFor[tree](), "urn:test", "a tree")
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	half := 0.5
	for _, v := range []tree{{}, {Name: "x", Maybe: &half, Opt: unit.Known("y"), Below: []*tree{{}, nil},
		Counts: map[string]uint64{"a": 1}, Any: 3, Named: map[string][]inner{"n": {{1}}}, own: 1}} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		change := func(key string, to any) error {
			var m map[string]any
			if err := json.Unmarshal(b, &m); err != nil {
				t.Fatal(err)
			}
			switch {
			case key == "":
			case to == nil:
				delete(m, key)
			default:
				m[key] = to
			}
			return r.Validate(m)
		}
		if err := change("", nil); err != nil {
			t.Errorf("%s: %v", b, err)
		}
		for key, to := range map[string]any{"a": nil, "name": nil, "nane": "x", "maybe": "half", "pair": []any{1.0},
			"counts": map[string]any{"a": -1.0}, "below": []any{map[string]any{"name": "only"}},
			"anon": map[string]any{"B": true, "C": true}} {
			if change(key, to) == nil {
				t.Errorf("with %s: %v it is taken", key, to)
			}
		}
	}
}

type mute struct{}

func (mute) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

func TestOfRefuses(t *testing.T) {
	if _, err := (&Maker{}).Of(reflect.TypeFor[struct{ M mute }](), "urn:test", ""); err == nil {
		t.Error("a type that writes its JSON itself has a schema that nobody gave")
	}
	if _, err := (&Maker{}).Of(reflect.TypeFor[struct{ C chan int }](), "urn:test", ""); err == nil {
		t.Error("a channel has a schema")
	}
}
