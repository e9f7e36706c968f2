// Package dcb is what the switches of data centres have in common when they are configured: their used ports in order, the
// fabric's classes as a switch sees them, versions, and what is expected of a switch's answers. It knows no language of a switch.
package dcb
