// Package compare compares experiments, within a run and between runs, and prints and draws the comparisons.
package compare
