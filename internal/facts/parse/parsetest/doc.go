// Package parsetest helps to test parsers: seeds of fuzz targets, and invariants of facts.
package parsetest
