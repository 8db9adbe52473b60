package io.chainkeeper.simulation.explore;

import java.util.List;

/**
 * A schedule that breaks a promise.
 *
 * @param schedule from the scope's start; the last step breaks the promise
 * @param message which promise, and how
 */
record Failure(List<Choice> schedule, String message) {}
