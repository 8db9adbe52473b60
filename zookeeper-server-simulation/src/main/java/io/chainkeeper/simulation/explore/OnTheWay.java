package io.chainkeeper.simulation.explore;

/**
 * A frame in a batch.
 *
 * @param from replica id of the sender
 * @param frame its number
 */
record OnTheWay(int from, int frame) {}
