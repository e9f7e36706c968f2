package lab

import (
	"encoding/json"
	"errors"
	"fmt"

	"linerate/internal/host/connect"
)

// Find tells of a lab that is up, by its id.
func Find(id string) (Info, error) {
	_, state, err := connect.FindLab(id)
	if err != nil {
		return Info{}, err
	}
	if !state.Ready {
		return Info{}, fmt.Errorf("lab %s is not up yet, or was left behind; see linerate lab list", state.ID)
	}
	var info Info
	if err := json.Unmarshal(state.Info, &info); err != nil {
		return Info{}, errors.Join(fmt.Errorf("lab %s: its state cannot be read; take it down: linerate lab down %s", state.ID, state.ID), err)
	}
	return info, nil
}

// Folder is where a lab that is up keeps its state; what is put there goes with it.
func Folder(id string) (string, error) {
	dir, _, err := connect.FindLab(id)
	return dir, err
}
