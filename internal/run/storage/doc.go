// Package storage measures reads and writes of storage: drives and volumes, on their own host or exported to others.
package storage
