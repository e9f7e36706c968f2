// Package filecopy measures the copying of files between places on hosts, with the tools that people use.
package filecopy
