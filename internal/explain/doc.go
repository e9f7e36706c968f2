// Package explain says why a measured figure is what it is: which component
// limits it, with the evidence, the fix and the next limit; or that none of the
// known causes holds. One record and one file a cause; adding one is a file
// and a line in the table of causes.go.
package explain
