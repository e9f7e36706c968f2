// Package highlight finds the quotable results of a run: the strongest differences and the paths at their line rate.
package highlight
