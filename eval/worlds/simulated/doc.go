// Package simulated is a world of attempts that nobody made: a simulator of
// "attempt, verify, try again" calibrated to published figures of four
// benchmarks. Fixed policies with the smallest and the largest model come out at
// the published success, energy and time; the model between them is
// interpolated. Everything it gives is labelled simulated. It must not know
// policies, and policies must not know an item's difficulty: what an item shows
// is a noisy hint, and only Chance, for the oracle, tells the truth.
//
// The model. Item i has a latent difficulty d ~ N(0, 1) and every model m a knack
// u ~ N(0, 1) for it. An attempt solves it with the chance
//
//	p = 1 / (1 + exp(−(ability_m − spread·d + knack·u)))
//
// and costs joules_m · exp(slope·d − slope²/2) · L, where L is lognormal with mean
// 1; seconds go along with joules, up to some noise of their own. Attempts of the
// same model on the same item are independent given d and u. The abilities,
// joules and seconds are fitted (see fit), everything else is assumed.
package simulated
