// Package hosted plays recorded answers of hosted models as a world. A file is
// JSON Lines: a query a line with, for every model, how well its answer was
// scored and what it cost in dollars or in length. No joules are claimed for
// them: nobody metered the servers. It must not know policies.
package hosted
