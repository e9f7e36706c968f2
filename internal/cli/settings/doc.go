// Package settings renders the configuration of devices and applies it to Linux hosts, with an undo on both sides.
package settings
