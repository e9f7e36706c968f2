package block

import "context"

// remoteWay is that of a Volume: a queue a thread.
func remoteWay(j Job, t *target) (way, string, error) {
	name, why := t.volume.Way()
	if j.Way != "" && j.Way != name {
		return way{}, "", input("way", "%s is got at by %s alone; leave way out", j.Target, name)
	}
	return way{name, func(ctx context.Context, w *worker, _ []byte) (Queue, string, error) {
		slots := make([][]byte, len(w.slots))
		for i := range slots {
			slots[i] = w.slots[i].buffer
		}
		q, err := t.volume.Queue(ctx, slots)
		return q, "", err
	}}, why, nil
}
