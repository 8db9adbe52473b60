package io.chainkeeper.benchmarks.counts;

/**
 * What an ensemble is counted under. Times are virtual, in microseconds.
 *
 * @param replicas how many, all of them members
 * @param clients closed loops of one command each, at each replica; 0 leaves all replicas but the first without clients
 *     and gives that one client
 * @param hopMicros from a replica's sending to the other's receiving
 * @param forceMicros what it takes to force what the log has been given; what comes meanwhile waits for the next time
 * @param messageMicros what sending or receiving a message keeps a replica's processor busy
 * @param commandMicros what executing a command keeps a replica's processor busy
 * @param clientMicros from an answer to the same client's next command, on the average
 */
record Conditions(
        int replicas,
        int clients,
        int hopMicros,
        int forceMicros,
        int messageMicros,
        int commandMicros,
        int clientMicros) {
    /** A machine for each replica, with a disk that takes far longer than the network. */
    static Conditions slowDisk(int replicas, int clients) {
        return new Conditions(replicas, clients, 100, 1_000, 2, 2, 200);
    }

    /** A fifth of a processor for each replica, and files in memory. */
    static Conditions slowProcessor(int replicas, int clients) {
        return new Conditions(replicas, clients, 50, 100, 20, 10, 100);
    }
}
