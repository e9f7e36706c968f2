// Package manual writes the manual of a tree of commands: man pages, a reference in Markdown and the help on the
// terminal, all from the commands and flags that parse the command line.
package manual
