// Package onyx renders what makes a switch with NVIDIA Onyx or MLNX-OS follow the plan: commands to paste, what its show commands
// should answer, and what takes the commands back. Spectrum switches (SN) from 3.8.2000 have one command for a lossless class,
// older ones and SwitchX (SX) the single commands.
package onyx
