/** Measures one protocol once: where a run takes place, the phases of a round, and whether they were disturbed. */
package io.chainkeeper.benchmarks.rounds;
