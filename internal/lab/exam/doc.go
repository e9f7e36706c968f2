// Package exam holds verdicts against the truth: it draws faults with their parameters from a seed, makes each in a lab of its own, has
// the experiment run, and asks what the verdict on the finished run folder is.
//
// The exam is blind: the verdict is made by a process of its own, of a copy of the run folder that has the manifest without verdicts and
// the captures, and in which the fault's name and parameters do not stand (see Blind).
package exam
