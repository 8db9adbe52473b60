package io.chainkeeper.simulation.host;

/** What a replica's application keeps on disk. Immutable; each application has its own. */
public interface Checkpoint {
    /** The position up to which recovery from it needs no order. */
    long position();
}
