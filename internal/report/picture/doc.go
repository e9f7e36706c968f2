// Package picture draws summaries as one picture of 1200 x 630 pixels, the size that forums and messengers show. One
// scene is the source of both forms, SVG and PNG.
package picture
