/** What one run is like: its options, drawn from its seed. */
package io.chainkeeper.simulation.swarm;
