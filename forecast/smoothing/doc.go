// Package smoothing has the models that package forecast chooses from, to update by hand: Holt's
// trend, the triple smoothing of [Niu16], the adaptive factors of Trigg and Leach, Winters'
// seasons, and others. See package forecast for the choice, intervals and paths.
package smoothing
