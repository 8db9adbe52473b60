/** Links that take their time: regions, how far apart they are, and relays that delay what passes between them. */
package io.chainkeeper.benchmarks.relay;
