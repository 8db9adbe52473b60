package io.chainkeeper.replica;

import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.PromiseRule;
import java.util.ArrayDeque;

/**
 * Messages on their way out. A message that rests on a record waits here until the record is durable; a promise that
 * rests on no record is refused. Used by the thread that runs the protocol.
 */
final class HeldMessages {
    /** Where messages go when they may leave. */
    interface Link {
        void transmit(int to, Message message);
    }

    private record Held(long logSequence, int to, Message message) {}

    private final Link link;
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private long appended;
    private long durable;

    HeldMessages(Link link) {
        this.link = link;
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
        if (logSequence <= durable) {
            link.transmit(to, message);
        } else {
            held.add(new Held(logSequence, to, message));
        }
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
