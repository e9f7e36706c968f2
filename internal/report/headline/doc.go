// Package headline makes the sentences with which every report of a run begins: on the terminal, on the page and in
// what is posted.
package headline
