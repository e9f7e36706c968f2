// Package linerate holds the tests of the project as a whole: who may import
// whom, one comment a package, printing in its place. The program is cmd/linerate.
package linerate
