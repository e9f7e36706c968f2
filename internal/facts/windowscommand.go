package facts

import (
	_ "embed"
	"strings"
)

// windowsScript asks a host with Windows: commands that get something, and nothing else. It is ASCII.
//
//go:embed windows.ps1
var windowsScript string

// windowsCommand runs the script, which it reads from its input: no file is written, and no word of a command line comes from
// anybody else.
var windowsCommand = []string{"powershell.exe", "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", "& ([scriptblock]::Create([Console]::In.ReadToEnd()))"}

// WindowsScript is the script that asks a host with Windows, for whoever runs it by hand: what it prints is read by Parse.
func WindowsScript() string { return windowsScript }

// windowsReadings is everything that is read of a host with Windows.
func windowsReadings() []Reading {
	return []Reading{
		{Source: "ip -j -d -s -s link", How: AskKernel, What: "the interfaces with their state and MTU", Light: true},
		{Source: "ip -j address", How: AskKernel, What: "the addresses of the interfaces", Light: true},
		{Source: "windows.ps1", How: RunProgram, What: strings.Join(windowsCommand, " ")},
	}
}
