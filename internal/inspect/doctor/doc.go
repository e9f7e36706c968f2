// Package doctor says what a run will need and whether it is there: a line a thing, each with its state, and where there is something to do, what to
// type. It is pure: it gets what was gathered of the hosts, and asks nobody.
package doctor
