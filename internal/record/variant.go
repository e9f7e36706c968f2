package record

import (
	"crypto/sha256"
	"encoding/hex"
)

// IdleOf is the WHEN of an idle capture in a run of several variants: hosts of
// one name stand once in each. The empty variant is the run's own.
func IdleOf(when, variant string) string {
	if variant == "" {
		return when
	}
	sum := sha256.Sum256([]byte(variant))
	return At(when, "v"+hex.EncodeToString(sum[:])[:8])
}

// Other is the variant of an experiment as IdleOf takes it: empty when it is the run's own.
func (r *Run) Other(variant string) string {
	if variant == r.Variant {
		return ""
	}
	return variant
}

// Schedule is the order in which a run measured its experiments.
type Schedule struct {
	Order  string  `json:"order"`           // file, random or balanced
	Seed   uint64  `json:"seed,omitempty"`  // of the shuffle
	Until  float64 `json:"until,omitempty"` // repeats went on until the 95 % interval was within this share of the median
	AtMost int     `json:"repeats_at_most,omitempty"`
	// Samples is how often in a second both ends were sampled; 0: never, nil: of a version that did not say.
	Samples *int   `json:"samples,omitempty"`
	Turns   bool   `json:"turns"`          // variants were measured in turns, A B A B
	Text    string `json:"text,omitempty"` // what a reader must know of it: why there were no turns
}
