// Package suggest turns a wish (so many hosts, a rate, a reach) into designs out
// of the parts catalogue. Each one is a fabric file that was written, decoded and
// planned like a user's own, so that all rules and the bill of materials hold for
// it. It is pure, and equal wishes give equal designs in the same order.
package suggest
