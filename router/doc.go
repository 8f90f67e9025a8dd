// Package router owns the choice of a model before a step: policies, the
// routing score (eqs. 7–12), hard budgets, the virtual queue and the sentence
// that explains a decision. It is pure: everything it looks at comes in as
// Input, randomness included. It must not know storage, HTTP or agents.
package router
