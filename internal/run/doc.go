// Package run executes experiments: it expands those of a plan into combinations of parameters, orders and repeats
// their measurements with the agents of the hosts, records what the hosts report before and after, and resumes
// interrupted runs. Each method has a package below this one. Package explain makes the verdicts.
package run
