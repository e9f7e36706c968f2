// Package planning compares designs, suggests them, drafts the fabric file of existing machines, and writes the parts
// of a plan into a folder.
package planning
