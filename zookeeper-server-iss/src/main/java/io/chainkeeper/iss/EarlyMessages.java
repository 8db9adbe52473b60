package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.Accept;
import io.chainkeeper.iss.IssMessage.Forward;
import io.chainkeeper.iss.IssMessage.OfEpoch;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import java.util.ArrayDeque;

/**
 * Messages of the epoch after the present one, in order of arrival, within bounds. Messages that do not fit are
 * dropped, and asked for again when the epoch has begun.
 */
final class EarlyMessages {
    record Early(int sender, OfEpoch message) {}

    private final ArrayDeque<Early> messages = new ArrayDeque<>();
    private long bytes;
    private long droppedEpoch;

    void add(int sender, OfEpoch message) {
        long size = size(message);
        if (messages.size() >= IssSettings.MAX_EARLY_MESSAGES || bytes + size > IssSettings.MAX_EARLY_BYTES) {
            dropped(message);
        } else {
            messages.add(new Early(sender, message));
            bytes += size;
        }
    }

    void dropped(OfEpoch message) {
        droppedEpoch = Math.max(droppedEpoch, message.epoch());
    }

    private static long size(OfEpoch message) {
        if (message instanceof Accept accept) {
            return accept.value().length();
        } else if (message instanceof Forward forward) {
            long size = 0;
            for (var command : forward.commands()) {
                size += command.command().length();
            }
            return size;
        }
        return 0;
    }

    /**
     * Removes and returns the next message of an epoch, null if there is none. Messages of older epochs are dropped.
     */
    Early poll(long epoch) {
        while (!messages.isEmpty() && messages.peek().message().epoch() <= epoch) {
            Early next = messages.remove();
            bytes -= size(next.message());
            if (next.message().epoch() == epoch) {
                return next;
            }
        }
        return null;
    }

    /** Tells how much is kept. */
    void tellOccupancy(Occupancy occupancy) {
        occupancy.holds("early_messages", messages.size(), IssSettings.MAX_EARLY_MESSAGES, Slack.NONE);
        occupancy.holds("early_bytes", bytes, IssSettings.MAX_EARLY_BYTES, Slack.NONE);
    }

    /** Whether messages of an epoch, or of one after it, were dropped. */
    boolean missed(long epoch) {
        return droppedEpoch >= epoch;
    }
}
