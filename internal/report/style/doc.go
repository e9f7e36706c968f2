// Package style has the colours and style sheets of the pages, and the hash with which a page allows only them.
package style
