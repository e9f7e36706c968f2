// Package whatif predicts what a run would have measured with one thing changed.
package whatif
