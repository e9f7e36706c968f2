// Package record has the types that a run is recorded in, and that everybody reads: what was planned, found and measured.
// It is a leaf: it imports the types of quantities alone.
package record
