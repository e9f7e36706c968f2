package record

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
)

// ExperimentID is ten hexadecimal digits that stay the same from run to run for the
// same method, ends (From, To, and host and port of every End), direction, variant
// and settings, in whatever order the settings were put in. The name, addresses and
// interfaces are not part of it: two cells that differ in nothing else are one, unless they are
// of two experiments of a file; of the second (SameAs) the name is part of it. An experiment
// that was chased is another one than that of the file with the same settings.
func ExperimentID(e *Experiment) string {
	h := sha256.New()
	field := func(s string) { // with its length, so that "a","bc" differs from "ab","c"
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
	if e.Chased != nil {
		field("chased for")
		field(e.Chased.For)
	}
	for _, key := range slices.Sorted(maps.Keys(e.Settings)) {
		field(key)
		field(e.Settings[key])
	}
	return hex.EncodeToString(h.Sum(nil))[:10]
}

// FabricHash is the SHA-256 of a fabric's text in hexadecimal: what --resume looks
// for an incomplete run by.
func FabricHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
