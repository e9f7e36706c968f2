// Package parse has the Builder of facts, and what parsers of several tools and systems share.
package parse
