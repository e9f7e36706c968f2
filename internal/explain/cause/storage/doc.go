// Package storage has the causes that limit storage and copies, one a file, and their tables.
package storage
