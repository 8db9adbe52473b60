/**
 * JMH benchmarks of the parts of the write path that can be measured without a server: batches, messages, the ordering
 * protocol by itself, the acceptor log. {@code bin/benchmark.sh jmh [regex]} runs them.
 */
package io.chainkeeper.benchmarks.jmh;
