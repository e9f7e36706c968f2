// Package job takes one run from its plan to its report: the flags that all runs share, an optional lab, its schedule,
// its progress, and its exit code.
package job
