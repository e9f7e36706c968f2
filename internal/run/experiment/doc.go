// Package experiment is the contract between the session of a run and the methods: a combination of the parameters of
// an experiment, the Measurement that a method makes of it, and the Session that a measurement may use. It also has the
// settings, paths and intervals that several methods share.
package experiment
