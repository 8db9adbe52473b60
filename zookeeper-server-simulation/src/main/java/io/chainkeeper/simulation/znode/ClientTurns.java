package io.chainkeeper.simulation.znode;

import java.util.SplittableRandom;

/** The times that a client is about to do something. */
final class ClientTurns {
    private final int client;
    private final SplittableRandom random;
    private long number;

    /**
     * @param client number of it
     * @param random what its turns draw
     */
    ClientTurns(int client, SplittableRandom random) {
        this.client = client;
        this.random = random;
    }

    /** Number of the client. */
    int client() {
        return client;
    }

    /** Number of the turn that has come last, from 1. */
    long number() {
        return number;
    }

    /** How long it thinks before the next one, at most so long. */
    long thinkMicros(long most) {
        return random.nextLong(most);
    }

    /** The next turn has come; returns what it draws. */
    SplittableRandom next() {
        number++;
        return random.split();
    }
}
