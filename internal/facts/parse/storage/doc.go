// Package storage reads the outputs of storage clients and pools.
package storage
