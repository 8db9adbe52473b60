/** The results of a run as a table for people, and as JSON or CSV for programs. */
package io.chainkeeper.benchmarks.report;
