// Package check holds what hosts say of themselves against the plan and against
// what each of their components could do. One record and one file a check; adding
// one is a file, a line in the table of checks.go, and a folder in testdata. It asks
// no host: everything it knows was captured before.
package check
