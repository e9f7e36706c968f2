// Package routeros renders switches with RouterOS 7: room for large frames and, on chips that have it, a lossless class.
package routeros
