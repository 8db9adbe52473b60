package io.chainkeeper.simulation.disk;

/** What a name stands for. */
sealed interface DiskNode permits DiskFile, DiskDirectory {}
