package io.chainkeeper.ordering;

/**
 * What every host demands of the messages that a protocol sends: a promise leaves only behind its record.
 *
 * <p>The record is one that this start has appended. What an earlier start recorded a protocol records once more before
 * it promises the same again, so there is no sequence that means "durable already", and none that a forgotten
 * assignment could stand for (docs/decisions/023).
 */
public final class PromiseRule {
    private PromiseRule() {}

    /**
     * Checks a message that is sent without a record.
     *
     * @param message the message
     * @throws InvariantViolated if it is a promise
     */
    public static void checkPlain(Message message) {
        if (message.isPromise()) {
            throw new InvariantViolated(message + " is a promise and rests on no record");
        }
    }

    /**
     * Checks a message that is sent behind a record.
     *
     * @param message the message
     * @param logSequence as given to {@link Effects#sendAfter}
     * @param appended the newest record of this start
     * @throws InvariantViolated if no record of this start has that sequence; without one only what is no promise may
     *     leave, and the sequence is 0
     */
    public static void checkBehind(Message message, long logSequence, long appended) {
        boolean isOfThisStart = logSequence >= 1 && logSequence <= appended;
        if (!isOfThisStart && (logSequence != 0 || message.isPromise())) {
            throw new InvariantViolated(
                    message + " rests on record " + logSequence + ", which this start never appended");
        }
    }

    /**
     * Checks a message that leaves, for hosts that can look into their log at any time: a crash right now must not make
     * its sender forget what it promises.
     *
     * @param replica id of the sender
     * @param message the message
     * @param log what is on stable storage
     * @throws InvariantViolated if the log does not keep the promise
     */
    public static void checkKept(int replica, Message message, DurableRecords log) {
        if (message.isPromise() && !message.isKeptBy(log, replica)) {
            throw new InvariantViolated("replica " + replica + " sends " + message
                    + ", a promise that its log does not keep: a crash would make it forget");
        }
    }
}
