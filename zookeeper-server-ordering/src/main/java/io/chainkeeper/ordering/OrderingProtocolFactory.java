package io.chainkeeper.ordering;

import java.util.List;

/** A protocol as {@link java.util.ServiceLoader} finds it. Stateless; safe for use by any thread. */
public interface OrderingProtocolFactory {
    /** No record has this kind. */
    int NO_KIND = 0;

    /** @return the value of {@code ordering.protocol} that selects it; also the prefix of its own keys */
    String name();

    /** @return the zoo.cfg keys that it understands, each with its prefix, such as {@code chain.maxBatchBytes} */
    SettingKeys settings();

    /** @return the codec of its messages */
    MessageCodec codec();

    /**
     * In how many streams the protocol keeps order. A session's commands all go to stream {@code hash(session) mod
     * streamCount}.
     *
     * @param memberCount number of voting members
     * @return at least 1; 1 unless overridden
     */
    default int streamCount(int memberCount) {
        return 1;
    }

    /**
     * Creates an instance.
     *
     * @param context who this replica is and what it may use
     * @param effects where its wishes go
     * @return the instance, before {@link OrderingProtocol#onStart}
     */
    OrderingProtocol create(ProtocolContext context, Effects effects);

    /**
     * The kind of the metadata record that keeps what a replica has promised, if what the replica holds as decided is
     * decided only for replicas that have promised the same. Then the head of the latest such record goes with the
     * state to the replicas that take it, and they find it as {@link LogRecord#PROMISE_OF_STATE_KIND}.
     *
     * @return the kind; {@link #NO_KIND}, unless overridden, if what is decided is so for everybody
     */
    default int promiseKind() {
        return NO_KIND;
    }

    /**
     * Looks at a log that does not name its protocol: whose kinds and heads it has. Of a log in which some protocol has
     * written anything, at most one protocol may say yes.
     *
     * @param traces what is left of the protocol that wrote it
     * @return whether this protocol may have; unless overridden false, for protocols that came when logs bore names
     */
    default boolean mayHaveWritten(LogTraces traces) {
        return false;
    }

    /**
     * Puts in words what a record of its acceptor log says beside its position and its value.
     *
     * @param record a record of this protocol, no one of the host
     * @return one line, for people; unless overridden the number of the kind
     * @throws MalformedMessageException if it is no record of this protocol
     * @throws java.nio.BufferUnderflowException if its head is cut short
     */
    default String describe(LogRecord record) throws MalformedMessageException {
        return "kind " + record.kind() + ", head of " + record.head().length() + " bytes";
    }

    /**
     * What it writes on disks that all servers share, if that is where it keeps the order.
     *
     * @return null, unless overridden, for a protocol without shared disks
     */
    default SharedDiskFormat sharedDisks() {
        return null;
    }

    /**
     * The rules that its safety or progress rests on and that can be taken out one at a time.
     *
     * @return their names; none unless overridden
     */
    default List<String> rules() {
        return List.of();
    }

    /**
     * The same protocol, unsafe: to show that the simulator notices when a rule is missing. Nothing that a server can
     * be told leads here.
     *
     * @param rule one of {@link #rules}
     * @return this protocol without that rule
     * @throws IllegalArgumentException if there is no such rule
     */
    default OrderingProtocolFactory without(String rule) {
        throw new IllegalArgumentException("protocol " + name() + " has no rule " + rule);
    }
}
