/** The machine of a run: its control groups, network, processors, counters, ports and directories. */
package io.chainkeeper.benchmarks.host;
