// Package summary is the block of text that people post of a run: who, the link, a fixed set of figures in a fixed order, each with its share of the ceiling
// and the processors of both ends, and the verdict. It makes cards of runs, writes them in every form, reads them back out of whatever they were pasted into,
// and holds two against each other. It reads and writes no file.
package summary
