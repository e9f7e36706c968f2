// Package completion completes words that depend on this machine: hosts, experiments and variants of a fabric file,
// runs, labs and parts.
package completion
