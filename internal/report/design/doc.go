// Package design writes plans, suggestions and parts: on a terminal, as a page, as JSON and CSV, and as labels.
package design
