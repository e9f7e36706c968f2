package wire

// Counts are what one direction did, in wire packets. Of what came,
//
//	Arrived = Policed + Overflow + Lost + (Carried + Refused + Waiting - Duplicated)
//
// Missed and Uncut never became wire packets, and Dropped are among the carried: these three and Refused are what the machine
// did, and no part of the settings.
type Counts struct {
	Arrived    uint64 `json:"arrived"`
	Carried    uint64 `json:"carried"`       // given to the interface
	Bytes      uint64 `json:"carried_bytes"` // of the frames carried, without FCS
	Policed    uint64 `json:"policed"`       // dropped above the policer's rate
	Overflow   uint64 `json:"overflow"`      // dropped at the queue's end
	Lost       uint64 `json:"lost"`
	Marked     uint64 `json:"marked"`
	Corrupted  uint64 `json:"corrupted"`
	Duplicated uint64 `json:"duplicated"`
	Reordered  uint64 `json:"reordered"` // packets that came out behind one that had come in later
	Dropped    uint64 `json:"dropped"`   // that the interface took and then dropped: a veth whose peer's processor is behind
	Refused    uint64 `json:"refused"`   // that the interface or its queueing discipline did not take
	Waiting    uint64 `json:"waiting"`   // that were still under way when the link ended
	Missed     uint64 `json:"missed"`    // frames or super-packets that came faster than they were read
	Uncut      uint64 `json:"uncut"`     // super-packets that could not be cut
	MostQueued uint64 `json:"most_queued_bytes"`
}
