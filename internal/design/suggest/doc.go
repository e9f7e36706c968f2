// Package suggest turns a requirement (a number of hosts, a rate, a distance) into designs of parts in the catalogue.
// Each is a fabric file that is written, decoded and planned like a user's own, so all rules and the bill of materials
// apply. The package is pure, and equal requirements give equal designs in the same order.
package suggest
