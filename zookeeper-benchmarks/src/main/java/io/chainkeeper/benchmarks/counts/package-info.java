/** What ordering costs in messages, records and batches, counted in virtual time: the same on every machine. */
package io.chainkeeper.benchmarks.counts;
