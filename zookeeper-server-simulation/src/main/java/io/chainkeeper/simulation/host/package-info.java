/**
 * One replica: the product's, driven by one caller, those who watch it, the disk under it, the application above it.
 * When anything of that happens is left to a {@link io.chainkeeper.simulation.host.World}.
 */
package io.chainkeeper.simulation.host;
