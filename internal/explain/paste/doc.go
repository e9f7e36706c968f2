// Package paste finds the outputs of tools and commands in a text that was copied from a terminal or a web page.
package paste
