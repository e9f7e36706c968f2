package guest

import (
	"os"
	"path/filepath"
)

// Built says whether the cache has an image of that kind, as this version wants it. Nothing is made and nothing is read through: a damaged one is found when it is used.
// Cache is a folder; empty means linerate's own in the user's cache.
func Built(cache string, kind Kind) (bool, error) {
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return false, err
		}
		cache = filepath.Join(user, "linerate")
	}
	var m manifest
	err := readManifest(filepath.Join(cache, "guest", recipeOf(kind).hash()), &m)
	switch {
	case err == nil:
		return m.Schema == manifestSchema, nil
	case os.IsPermission(err):
		return false, err
	}
	return false, nil
}
