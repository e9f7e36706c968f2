// Package fabric reads the user's fabric file: decoded strictly, with the
// position of every value and all errors at once. docs/fabric.md describes
// the file; the YAML library only parses, everything else is done here over
// its nodes.
package fabric
