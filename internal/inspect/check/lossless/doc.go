// Package lossless has the checks of traffic classes, pauses and marks, at hosts and switches.
package lossless
