/** Measures what clients see when a server is stopped and comes back. */
package io.chainkeeper.benchmarks.faults;
