/**
 * The load runner. Side by side: ensembles of several protocols, started from the same jars with the same JVM options
 * and the same durability, each server on its own CPU quota, measured in interleaved rounds. Under faults: what clients
 * see when a server dies or joins. {@code docs/benchmarks.md} says how to use it and what each figure means;
 * {@link io.chainkeeper.benchmarks.BenchmarkMain} is the main program. The JMH benchmarks are in
 * {@link io.chainkeeper.benchmarks.jmh}.
 */
package io.chainkeeper.benchmarks;
