// Package diag describes an error in a file that the user wrote: its place, what is wrong, whose limit it is, what to
// write instead, and the line with a caret under the place. It rewords the YAML library's errors for readers who do not
// know its terms.
package diag
