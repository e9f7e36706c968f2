// Package terminal prints text on a terminal: lines, labelled items and tables within a width, and the
// progress of a run.
package terminal
