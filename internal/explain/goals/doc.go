// Package goals compares the figures of a run with the goals of its fabric file.
package goals
