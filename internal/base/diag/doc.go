// Package diag is how linerate tells a mistake in a file that the user wrote:
// its place, what is wrong, whose limit it is, what to write instead, and the line
// itself with a caret under the place. It says the YAML library's errors in words
// for people who do not know its terms.
package diag
