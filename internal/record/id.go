package record

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
)

// ExperimentID returns ten hexadecimal digits. They are the same in every run for the same method, ends (From, To, and
// the host and port of every End), direction, variant and settings, in any order. Name, addresses and interfaces are
// not part of them. Where two experiments of a file have the same combination, the id of the second (see SameAs)
// includes its name. The id of a follow-up includes that of its experiment.
func ExperimentID(e *Experiment) string {
	h := sha256.New()
	field := func(s string) { // prefixed with its length, so that "a","bc" differs from "ab","c"
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	field(e.Method)
	field(e.From)
	field(e.To)
	for _, end := range e.Ends {
		field("end")
		field(end.Host)
		field(end.Port)
	}
	field("direction")
	field(e.Direction)
	field(e.Variant)
	if e.SameAs != "" {
		field("name")
		field(e.Name)
	}
	if e.FigureMatch != "" {
		field("figure")
		field(e.FigureMatch)
	}
	if e.FollowedUp != nil {
		field("chased for")
		field(e.FollowedUp.For)
	}
	for _, key := range slices.Sorted(maps.Keys(e.Settings)) {
		field(key)
		field(e.Settings[key])
	}
	return hex.EncodeToString(h.Sum(nil))[:10]
}

// FabricHash is the SHA-256 of a fabric's text, in hexadecimal. By it --resume finds an incomplete run.
func FabricHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
