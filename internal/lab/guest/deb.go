package guest

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// eachDeb hands over the archive in a package.
func eachDeb(ctx context.Context, deb string, read func(io.Reader) error) error {
	err := piped(exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", deb), read)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(deb), err)
	}
	return nil
}

// piped reads what a command writes.
func piped(cmd *exec.Cmd, read func(io.Reader) error) error {
	defer ownGroup(cmd)()
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = read(out)
	if err == nil {
		_, err = io.Copy(io.Discard, out)
	}
	out.Close()
	if werr := cmd.Wait(); werr != nil && err == nil {
		err = fmt.Errorf("%w: %s", werr, lastLine(errs.String()))
	}
	return err
}
