// Package results opens finished runs and prints them: the report, summaries to post, comparisons with other runs and
// with published figures, and the effect of other parts.
package results
