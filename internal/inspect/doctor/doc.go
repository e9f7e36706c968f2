// Package doctor reports whether everything that a run will need is available: one line for each thing with its state,
// and the commands to type where there is something to do. It contacts no host, and works on what was gathered from
// them.
package doctor
