/** What clients do, and how long it takes until servers are warm. */
package io.chainkeeper.benchmarks.load;
