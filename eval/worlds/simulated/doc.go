// Package simulated is a world of attempts that nobody made: a simulator of
// "attempt, verify, try again" calibrated to published figures of four
// benchmarks. Fixed policies with the smallest and the largest model come out at
// the published success, energy and time; the model between them is
// interpolated. Everything it gives is labelled simulated. It must not know
// policies, and policies must not know an item's difficulty: what an item shows
// is a noisy hint, and only Chance, for the oracle, tells the truth.
//
// The model. A task is worked on a stage at a time; one stage, the crux, decides
// and the others are routine. An attempt works on the next open stage and may be
// repeated by any model until all are done or Attempts are spent. Item i has a
// latent difficulty d ~ N(0, 1), a crux among its later stages, and for every
// model m a knack u ~ N(0, 1). An attempt gets a stage done with the chance
//
//	crux     1 / (1 + exp(−(ability_m − spread·d + knack·u)))
//	routine  1 / (1 + exp(−(routine_m − ease·d)))
//
// and costs joules_m · exp(slope·d − slope²/2) · L, where L is lognormal with mean
// 1; seconds go along with joules, up to some noise of their own. Attempts are
// independent given d and u. What was reached travels from attempt to attempt in
// the verifier's words. Abilities, joules and seconds are fitted (see fit),
// everything else is assumed.
//
// Stages matter: were every attempt one at the whole task, not even an oracle
// could keep the allowances that the published router kept at the published
// success, since the small model alone needs more than they grant.
package simulated
