/** The servers of an ensemble as processes, and what they use and say of themselves. */
package io.chainkeeper.benchmarks.server;
