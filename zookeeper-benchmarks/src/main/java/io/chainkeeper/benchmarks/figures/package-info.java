/** The results of many runs as one table, one CSV file and charts. */
package io.chainkeeper.benchmarks.figures;
