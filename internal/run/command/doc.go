// Package command runs a user's command on one or several hosts, and reads a figure from its output.
package command
