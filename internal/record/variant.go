package record

import (
	"crypto/sha256"
	"encoding/hex"
)

// IdleOf returns the WHEN of an idle snapshot. In a run of several variants, each variant has its own snapshot of a
// host. The empty variant is that of the run.
func IdleOf(when, variant string) string {
	if variant == "" {
		return when
	}
	sum := sha256.Sum256([]byte(variant))
	return At(when, "v"+hex.EncodeToString(sum[:])[:8])
}

// Other converts the variant of an experiment for IdleOf: the run's own variant becomes empty.
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
	Until  float64 `json:"until,omitempty"` // repeats ended once the 95 % interval was within this share of the median
	AtMost int     `json:"repeats_at_most,omitempty"`
	// Samples is the number of samples per second at both ends; 0: never, nil: not recorded.
	Samples *int   `json:"samples,omitempty"`
	Turns   bool   `json:"turns"`          // variants alternated, A B A B
	Text    string `json:"text,omitempty"` // what a reader must know about the order
}
