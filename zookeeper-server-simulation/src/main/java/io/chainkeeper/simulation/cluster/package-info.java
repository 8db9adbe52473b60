/**
 * All replicas of a run with everything that takes time or may fail: links, disks, threads, clocks, starts, and the
 * ensembles that are configured.
 */
package io.chainkeeper.simulation.cluster;
