/**
 * A disk per replica, as a file system of java.nio.file: what was not forced may be gone after a power loss, forces may
 * fail, space may run out, bits may rot.
 */
package io.chainkeeper.simulation.disk;
