package unit

import "encoding/json"

// Opt is a value that may be unknown. The reason of the zero Opt is that the value was never queried; use Unknown to
// give another one. It encodes to JSON as the value, or null.
type Opt[T any] struct {
	v     T
	known bool
	why   string
}

// Known returns a value that was read or declared.
func Known[T any](v T) Opt[T] { return Opt[T]{v: v, known: true} }

// Unknown returns a value that could not be read, with the reason ("ethtool needs root").
func Unknown[T any](why string) Opt[T] { return Opt[T]{why: why} }

// Get returns the value, and whether it is known.
func (o Opt[T]) Get() (T, bool) { return o.v, o.known }

// Or returns the value if it is known, else def.
func (o Opt[T]) Or(def T) T {
	if o.known {
		return o.v
	}
	return def
}

// IsKnown reports whether there is a value.
func (o Opt[T]) IsKnown() bool { return o.known }

// Why returns the reason why the value is unknown; empty if it is known.
func (o Opt[T]) Why() string {
	if !o.known && o.why == "" {
		return "it was not looked for"
	}
	return o.why
}

// MarshalJSON writes the value, or null when it is unknown.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.known {
		return []byte("null"), nil
	}
	return json.Marshal(o.v)
}

// UnmarshalJSON reads a value; null is unknown.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	*o = Opt[T]{}
	if string(b) == "null" {
		return nil
	}
	if err := json.Unmarshal(b, &o.v); err != nil {
		return err
	}
	o.known = true
	return nil
}
