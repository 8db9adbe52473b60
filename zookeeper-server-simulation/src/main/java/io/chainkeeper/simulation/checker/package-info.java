/**
 * Judges what clients have seen. Knows neither the simulator nor any server: a test records operations and asks, here,
 * whether they can be explained. Checkers throw {@link io.chainkeeper.simulation.checker.HistoryViolation}; a question
 * that they cannot decide within their bound is a failure too, never a pass.
 */
package io.chainkeeper.simulation.checker;
