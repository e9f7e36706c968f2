// Package facts turns captures, the raw output of a host's own files and
// commands, into typed facts. Every parser is a pure function over text and
// compiles on every system; reading the host is apart from it.
package facts
