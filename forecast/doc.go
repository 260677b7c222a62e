// Package forecast predicts demand: exponential smoothing, adaptive rates, backtests.
package forecast
