// Package apply puts a rendered config onto a Linux host over its reach, and takes it back when it does not hold.
package apply
