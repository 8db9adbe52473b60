/**
 * JMH benchmarks of the parts of the request path: commands, batches, messages, the ordering protocol by itself, the
 * acceptor log, execution, read barriers. {@code bin/benchmark.sh jmh [regex]} runs them.
 */
package io.chainkeeper.benchmarks.jmh;
