// Package catalog is the catalogue of NICs, cables, transceivers, switches and drives: embedded YAML files, looked up
// by id, part number or alias, with the source of every property. It also makes parts of descriptions in a fabric file,
// and decides which plug fits which cage.
package catalog
