// Package explanation answers linerate explain: what another tool printed, what a run found on one path, and what the
// id of a problem means.
package explanation
