// Package manual writes the manual of a tree of commands: man pages, a reference in Markdown and the help on the
// terminal, out of the same commands and flags that read the command line.
package manual
