// Package catalog is the catalogue of NICs, cables, transceivers, switches and
// drives: embedded YAML files, looked up by id, part number or alias, with the
// source of every property. It also makes parts out of what a fabric file
// writes out in place of a part number, and says which plug goes into which cage.
package catalog
