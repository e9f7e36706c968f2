// Package cli is the base of every command: its streams, the errors of its command line, the flags that environment
// variables set, its help, the terminal, and its exit code.
package cli
