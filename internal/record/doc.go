// Package record has the types that a run is recorded in: what was planned, found and measured. It imports only types
// of quantities, so that every package can use it.
package record
