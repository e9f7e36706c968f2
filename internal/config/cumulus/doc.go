// Package cumulus renders what makes a switch with Cumulus Linux 5 follow the plan, in the language of NVUE: a script of nv commands
// for the switch's own shell, what its show commands should answer, and what takes the commands back.
package cumulus
