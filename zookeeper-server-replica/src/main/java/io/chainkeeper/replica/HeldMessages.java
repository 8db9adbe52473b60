package io.chainkeeper.replica;

import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.PromiseRule;
import java.util.ArrayDeque;

/**
 * Messages on their way out. A message that rests on a record waits here until the record is durable; a promise that
 * rests on no record is refused. Where a disk hangs, news may come that need no records, and each is to be told behind
 * the same one: so many may wait, and the next one waits for the disk. Used by the thread that runs the protocol.
 */
final class HeldMessages {
    /** Where messages go when they may leave. */
    interface Link {
        void transmit(int to, Message message);
    }

    /** The log. */
    interface Log {
        /**
         * Waits until a record is durable.
         *
         * @return the newest record that is
         * @throws PartStoppedException if the log is not written any more
         */
        long awaitDurable(long logSequence);
    }

    private record Held(long logSequence, int to, Message message) {}

    private final Link link;
    private final Log log;
    private final int max;
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private long appended;
    private long durable;

    /**
     * @param link where messages go
     * @param log waited for where too many wait
     * @param max how many may wait, positive
     */
    HeldMessages(Link link, Log log, int max) {
        this.link = link;
        this.log = log;
        this.max = max;
    }

    /** The protocol has appended a record; returns its sequence. */
    long appended(long logSequence) {
        appended = logSequence;
        return logSequence;
    }

    void send(int to, Message message) {
        PromiseRule.checkPlain(message);
        link.transmit(to, message);
    }

    void sendAfter(long logSequence, int to, Message message) {
        PromiseRule.checkBehind(message, logSequence, appended);
        if (logSequence > durable && held.size() >= max) {
            release(log.awaitDurable(held.peek().logSequence()));
        }
        if (logSequence <= durable) {
            link.transmit(to, message);
        } else {
            held.add(new Held(logSequence, to, message));
        }
    }

    /** Tells how many messages wait. */
    void tellOccupancy(Occupancy occupancy) {
        occupancy.holds("held_messages", held.size(), max, Slack.NONE);
    }

    /** Everything up to this record is durable. */
    void release(long logSequence) {
        durable = logSequence;
        while (!held.isEmpty() && held.peek().logSequence() <= logSequence) {
            Held released = held.remove();
            link.transmit(released.to(), released.message());
        }
    }
}
