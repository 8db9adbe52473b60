package io.chainkeeper.simulation.register;

import io.chainkeeper.simulation.checker.History;
import io.chainkeeper.simulation.checker.Operation.Kind;
import io.chainkeeper.simulation.checker.VersionedRegister;
import io.chainkeeper.simulation.checker.VersionedRegister.Outcome;
import io.chainkeeper.simulation.checker.VersionedRegister.Write;
import java.util.function.Consumer;

/** An operation of a client, from being asked until it has an answer or its replica is gone. */
public final class ClientOperation {
    private final History.Invocation invocation;
    private final String key;
    private final Write write;
    private final Consumer<ClientOperation> whenOver;
    private Outcome outcome;
    private boolean over;

    private ClientOperation(
            History.Invocation invocation, String key, Write write, Consumer<ClientOperation> whenOver) {
        this.invocation = invocation;
        this.key = key;
        this.write = write;
        this.whenOver = whenOver;
    }

    /** A client asks for the value of a register; {@code whenOver} is told once. */
    public static ClientOperation read(History history, long client, String key, Consumer<ClientOperation> whenOver) {
        return new ClientOperation(history.invoke(client, Kind.READ, key, null), key, null, whenOver);
    }

    /** A client asks for a write to a register; {@code whenOver} is told once. */
    public static ClientOperation write(
            History history, long client, String key, Write write, Consumer<ClientOperation> whenOver) {
        boolean unconditional = write.expectedVersion() == VersionedRegister.ANY_VERSION;
        Kind kind = unconditional ? Kind.WRITE : Kind.COMPARE_AND_SET;
        return new ClientOperation(history.invoke(client, kind, key, write), key, write, whenOver);
    }

    String key() {
        return key;
    }

    boolean isRead() {
        return write == null;
    }

    RegisterCommand command() {
        return new RegisterCommand(key, write);
    }

    /** The answer, or null if there is none. */
    public Outcome outcome() {
        return outcome;
    }

    boolean isOver() {
        return over;
    }

    void answered(Outcome answer) {
        if (!over) {
            over = true;
            outcome = answer;
            invocation.returned(answer);
            whenOver.accept(this);
        }
    }

    /** Nobody waits for the answer any more. */
    void abandoned() {
        if (!over) {
            over = true;
            invocation.unknown();
            whenOver.accept(this);
        }
    }

    @Override
    public String toString() {
        return isRead() ? "read " + key : "write " + command();
    }
}
