/**
 * The load runner. Side by side: ensembles of several protocols, started from the same jars with the same JVM options
 * and the same durability, each server on its own CPU quota, measured in interleaved rounds. Under faults: what clients
 * see when a server dies or joins. {@code docs/benchmarks.md} says how to use it and what each figure means;
 * {@link io.chainkeeper.benchmarks.BenchmarkMain} is the main program.
 *
 * <p>Packages, each of which uses only those before it: {@code statistics}, {@code host}, {@code server}, {@code load},
 * {@code options}, {@code rounds}, {@code faults}, {@code report}, {@code figures}, this one. The JMH benchmarks are in
 * {@link io.chainkeeper.benchmarks.jmh} and use none of these.
 */
package io.chainkeeper.benchmarks;
