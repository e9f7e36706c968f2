// Package fabric reads the user's fabric file. It decodes strictly, with the position of every value and all errors at
// once. docs/fabric.md describes the file. The YAML library only parses; this package decodes its nodes.
package fabric
