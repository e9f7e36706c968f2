// Package page writes a run as one self-contained HTML page.
package page
