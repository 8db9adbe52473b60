package io.chainkeeper.simulation.cluster;

/** What connects the replicas of a run: links of the simulator, or the product's over byte streams. */
public interface Network {
    /** Breaks the connections of a pair. */
    void breakLink(int one, int other);

    /** Holds back what goes from one replica to another. */
    void cut(int from, int to);

    /** Ends a cut. */
    void heal(int from, int to);

    /** How many directions are cut. */
    int cuts();

    /** Makes one direction slower than the others; 1 for normal. */
    void slow(int from, int to, int factor);

    /** A replica has started: its peers can be connected to. */
    void started(int replica);

    /** A replica is gone: its connections break. */
    void crashed(int replica);

    /** A replica stands still until then. */
    void paused(int replica, long untilMicros);

    /** Whether two replicas can be connected and nothing that one sends the other is held back. */
    boolean reaches(int from, int to);

    /** Ends all cuts and slowness. */
    void healAll();
}
