// Package survey looks round: out of what machines say of themselves it drafts the fabric file that describes them, with what it could not see.
// It asks nobody and writes nothing.
package survey
