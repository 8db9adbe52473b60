/** A run as the user asked for it, read from the command line. */
package io.chainkeeper.benchmarks.options;
