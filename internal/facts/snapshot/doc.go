// Package snapshot is the text that is saved of a host: an archive of outputs of commands and files, with a header. It
// also masks serial numbers and secrets in it.
package snapshot
