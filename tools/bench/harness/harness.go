// Package harness has what the programs of bench share: how they start, run other programs, keep and print results, and
// read what Linux counts of CPU time.
package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Main is a program's main function: bench until it ends. SIGINT and SIGTERM cancel its context, so that it removes
// what it has made.
func Main(name string, bench func(context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bench(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Publish prints a page, and writes it into a file as well if one is named.
func Publish(page, file string) error {
	_, _ = os.Stdout.WriteString(page)
	if file == "" {
		return nil
	}
	return os.WriteFile(file, []byte(page), 0o644)
}

// Spread is the median of one figure over runs, with the lowest and the highest; without runs all three are 0.
func Spread[R any](runs []R, of func(R) float64) (median, low, high float64) {
	if len(runs) == 0 {
		return 0, 0, 0
	}
	var values []float64
	for _, r := range runs {
		values = append(values, of(r))
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1]
}

// Median is the median of one figure over runs; 0 without runs.
func Median[R any](runs []R, of func(R) float64) float64 {
	median, _, _ := Spread(runs, of)
	return median
}

// ReadRows reads a file of JSON values, one a line. A missing file, or no name, has none.
func ReadRows[R any](name string) ([]R, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []R
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r R
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, len(rows)+1, err)
		}
		rows = append(rows, r)
	}
	return rows, lines.Err()
}

// AddRow appends a value to a file of ReadRows; without a name it does nothing.
func AddRow[R any](name string, r R) error {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	text, err := json.Marshal(r)
	if err == nil {
		_, err = f.Write(append(text, '\n'))
	}
	return errors.Join(err, f.Close())
}

// Command runs a program to its end; the error has what it printed.
func Command(ctx context.Context, name string, args ...string) error {
	_, err := Output(ctx, name, args...)
	return err
}

// Output is Command that also returns what the program printed.
func Output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return "", errors.Join(fmt.Errorf("%s %s: %s", name, strings.Join(args, " "), strings.TrimSpace(string(out))), err)
	}
	return string(out), nil
}

// IP runs ip once for each line of arguments, which blanks separate, until one fails.
func IP(ctx context.Context, lines ...string) error {
	for _, line := range lines {
		if err := Command(ctx, "ip", strings.Fields(line)...); err != nil {
			return err
		}
	}
	return nil
}

// RemoveNamespaces removes network namespaces, and with them the interfaces in them. It ignores those that do
// not exist, so that it also removes a network of which only a part was made.
func RemoveNamespaces(names ...string) {
	for _, name := range names {
		_ = exec.Command("ip", "netns", "del", name).Run()
	}
}

// Compile compiles a C program into a folder and returns its path.
func Compile(ctx context.Context, folder, name string, source []byte, options ...string) (string, error) {
	program := filepath.Join(folder, name)
	if err := os.WriteFile(program+".c", source, 0o600); err != nil {
		return "", err
	}
	args := append([]string{"-O2", "-Wall", "-o", program, program + ".c"}, options...)
	return program, Command(ctx, "cc", args...)
}

// LoopDevice makes a file a block device, until detach is called. It needs root.
func LoopDevice(ctx context.Context, file string) (device string, detach func(), err error) {
	out, err := Output(ctx, "losetup", "-f", "--show", file)
	device = strings.TrimSpace(out)
	return device, func() { _ = exec.Command("losetup", "-d", device).Run() }, err
}
