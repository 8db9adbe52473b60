package io.chainkeeper.simulation.disk;

import java.util.TreeMap;

/** The entries of a directory: as processes see them, and as they are on stable storage. */
final class DiskDirectory implements DiskNode {
    final TreeMap<String, DiskNode> current = new TreeMap<>();
    final TreeMap<String, DiskNode> durable = new TreeMap<>();
}
