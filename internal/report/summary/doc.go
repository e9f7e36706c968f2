// Package summary is the block of text about a run for posting: the hosts, the link, a fixed list of figures, each with
// its share of the ceiling and the CPU time of both ends, and the verdict. It makes summaries of runs, writes them in
// every form, reads pasted ones, and compares two. It reads and writes no file.
package summary
