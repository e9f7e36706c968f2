// Package diagram draws a fabric: hosts with their adapters and ports, switches, and the cables between them.
package diagram
