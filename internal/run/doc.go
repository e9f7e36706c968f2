// Package run executes experiments: it turns a plan into a schedule of cells,
// drives the agents of both ends through every repeat, captures the evidence around
// it, and resumes what was interrupted. Verdicts are package explain's.
package run
