package rank

import "context"

func (r *Ranker) semantic(ctx context.Context, level Level, query string, cands []candidate) error {
	return nil
}
