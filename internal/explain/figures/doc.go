// Package figures explains the figures of other tools by the ceilings of the link, slot or drive that they were
// measured on.
package figures
