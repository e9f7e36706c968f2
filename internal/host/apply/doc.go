// Package apply applies a rendered config to a Linux host over its connection, and undoes it if it fails.
package apply
