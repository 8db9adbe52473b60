package io.chainkeeper.server.tracing;

/** What a request can have spent its time with. */
enum Part {
    /** From its arrival until the protocol was given its command. */
    ROOM("waiting for room: too many requests are in progress at this server"),
    /** Until a batch with its command was accepted here. */
    LEADER("the way to the leader and back, or the wait for a leader"),
    /** Until that batch was durable here, where the order waited for it. */
    DISK("this server's disk"),
    /** Until it was decided. */
    OTHERS("the other servers: their disks, or the network"),
    /** Until it was known how far the state has to be for a read. */
    BARRIER("the question to the other servers what a read has to see: the network, or no leader"),
    /** Until its execution began, or until a read had its turn and was answered. */
    TURN("waiting for the execution of what was ordered before"),
    /** Until it was answered. */
    EXECUTION("execution");

    private final String text;

    Part(String text) {
        this.text = text;
    }

    /** Returns what it is, in words. */
    String text() {
        return text;
    }
}
