package deploy

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strings"

	"linerate/internal/host/connect"
)

// windowsReceive receives the program on standard input into a new folder in %TEMP%, checks its hash and prints its
// path. First it removes the folders of earlier agents, except those of agents that still run: Windows cannot remove
// them.
const windowsReceive = `$ErrorActionPreference = 'Stop'
Get-ChildItem -LiteralPath $env:TEMP -Directory -Filter 'linerate-agent-*' | Remove-Item -Recurse -Force -ErrorAction SilentlyContinue
$dir = Join-Path $env:TEMP 'linerate-agent-NONCE'
New-Item -ItemType Directory -Path $dir | Out-Null
try {
  $path = Join-Path $dir 'linerate-NAME.exe'
  $in = [Console]::OpenStandardInput()
  $out = [IO.File]::Create($path)
  try { $in.CopyTo($out) } finally { $out.Close() }
  $hash = (Get-FileHash -Algorithm SHA256 -LiteralPath $path).Hash
  if ($hash -ne 'SHA256') { throw ('the file arrived changed: its SHA-256 is ' + $hash) }
} catch {
  Remove-Item -Recurse -Force -LiteralPath $dir
  [Console]::Error.WriteLine($_.Exception.Message)
  exit 4
}
[Console]::Out.WriteLine('in ' + $path + ':')
exit 0`

func deployWindows(ctx context.Context, r connect.Connection, p program) (Deployed, error) {
	nonce := strings.ToLower(rand.Text()[:12])
	script := strings.NewReplacer("NONCE", nonce, "NAME", p.sha256[:16], "SHA256'", p.sha256+"'").Replace(windowsReceive)
	var out connect.Output
	err := p.send(ctx, func(ctx context.Context, f *os.File) (err error) {
		out, err = connect.RunCommand(ctx, r, connect.Command{Argv: connect.PowerShell(script), Stdin: f})
		return err
	})
	if err != nil {
		return Deployed{}, err
	}
	for line := range strings.Lines(string(out.Stdout)) {
		line, isPath := strings.CutPrefix(strings.TrimSpace(line), "in ")
		if path, whole := strings.CutSuffix(line, ":"); isPath && whole && out.Exit == 0 {
			return Deployed{Argv: []string{path, "agent"}, Cleanup: func() { removeWindows(ctx, r, nonce) }, Held: true}, nil
		}
	}
	return Deployed{}, &connect.Error{Connection: r.String(), Command: []string{"powershell"}, Exit: out.Exit,
		Output: strings.TrimSpace(string(out.Stderr)), Cause: errors.New("the agent's program did not get into %TEMP%"),
		Try: "look whether a virus scanner on the host removes it"}
}

// removeWindows removes the folder after the agent has ended. Before that Windows refuses, and the next start removes
// it.
func removeWindows(ctx context.Context, r connect.Connection, nonce string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	script := "Remove-Item -Recurse -Force -LiteralPath (Join-Path $env:TEMP 'linerate-agent-" + nonce + "')"
	connect.Run(ctx, r, nil, connect.PowerShell(script)...)
}
