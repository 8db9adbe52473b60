/** Summaries of numbers: medians, latencies, gaps between successes. */
package io.chainkeeper.benchmarks.statistics;
