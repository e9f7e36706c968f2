// Package result arranges the experiments of a run in rows and combinations of settings, as tables and charts
// show them.
package result
