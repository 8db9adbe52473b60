/** Replicas in a world in which only what a scenario says happens. */
package io.chainkeeper.simulation.scenario;
