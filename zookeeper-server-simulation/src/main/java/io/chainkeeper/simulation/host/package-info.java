/**
 * One replica: the host that its protocol sees, the disk under it, the application above it. When anything of that
 * happens is left to a {@link io.chainkeeper.simulation.host.World}.
 */
package io.chainkeeper.simulation.host;
