// Package schemas has the JSON Schema of every output and of fabric files.
package schemas
