// Package windows renders hosts with Windows, server and desktop editions, as scripts for Windows PowerShell 5.1.
package windows
