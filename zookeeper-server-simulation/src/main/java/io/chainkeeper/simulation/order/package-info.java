/**
 * Judges the one order: what replicas deliver and execute, and what their commands say of sessions and configurations.
 * What clients see is judged by {@link io.chainkeeper.simulation.checker}.
 */
package io.chainkeeper.simulation.order;
