// Package eos renders what makes a switch with Arista EOS follow the plan: commands to paste, what its show commands should answer,
// and what takes the commands back.
package eos
