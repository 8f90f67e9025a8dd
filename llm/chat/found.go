package chat

// Found is a model that a server has.
type Found struct {
	ID         string  // the server's name for it
	Parameters float64 // billions; 0: not said
	Quantised  string  // how its weights are stored, e.g. Q4_K_M; empty: not said
	Bytes      int64   // on disk; 0: not said
	Context    int     // window in tokens, as loaded where that is known; 0: not said
	Loaded     *bool   // in memory now; nil: not said
	Chats      bool    // false for models that only embed
}
