// Package cause has the causes that can limit a network, one a file, and the table of the order in which they are
// tried. A new cause is a file and a line in table.go.
package cause
