// Package brief prints a run in thirty lines of eighty columns: the answer, the fix, the links, the reason, the goals
// and the next step. Package report has the complete text.
package brief
