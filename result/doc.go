// Package result is the record that everything measured becomes, and the run
// folder on disk.
package result
