// Package chart draws what was measured: bars, sweeps over a parameter, courses over time, percentile curves,
// and the ceilings of a path.
package chart
