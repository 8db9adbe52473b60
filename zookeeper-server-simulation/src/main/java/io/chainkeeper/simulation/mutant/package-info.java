/** Replicas that do without one rule: what the simulator has to notice, rule by rule. */
package io.chainkeeper.simulation.mutant;
