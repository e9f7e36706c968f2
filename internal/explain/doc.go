// Package explain gives the reason for a measured figure: the component that limits it, with the evidence, the fix and
// the next limit; or that none of the known causes applies. The causes are in the packages below cause, one a file.
package explain
