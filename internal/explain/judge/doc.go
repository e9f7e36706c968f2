// Package judge compares one experiment with its evidence: the case with its counters, snapshots and cross-checks, and
// the judge that tries one cause after the other. It knows no cause by name.
package judge
