package io.chainkeeper.simulation.register;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.simulation.checker.VersionedRegister.Outcome;
import io.chainkeeper.simulation.checker.VersionedRegister.State;
import io.chainkeeper.simulation.checker.VersionedRegister.Write;
import io.chainkeeper.simulation.host.Checkpoint;
import java.util.Map;
import java.util.TreeMap;

/**
 * The application of the simulation, in the place of the znode tree: registers, and a digest of all that was applied.
 */
public final class RegisterMachine {
    /** What every register begins with. */
    public static final State INITIAL = new State("initial", 0);

    private static final long DIGEST_MULTIPLIER = 0xD6E8FEB86659FD93L;

    /**
     * What a replica's application keeps on disk.
     *
     * @param position covered
     * @param registers their state
     * @param proposers the encoded {@link ProposerTable}
     * @param digest of all that was applied
     * @param membership in force after it, null for the initial one
     */
    public record Checkpoint(
            long position, Map<String, State> registers, ByteSlice proposers, long digest, Membership membership)
            implements io.chainkeeper.simulation.host.Checkpoint {
        /** What a new directory holds. */
        public static final Checkpoint NOTHING = new Checkpoint(0, Map.of(), new ProposerTable().encode(), 0, null);
    }

    private final Map<String, State> registers;
    private final ProposerTable proposers;
    private long position;
    private long digest;
    private Membership membership;

    RegisterMachine(Checkpoint checkpoint) {
        registers = new TreeMap<>(checkpoint.registers());
        position = checkpoint.position();
        digest = checkpoint.digest();
        membership = checkpoint.membership();
        try {
            proposers = ProposerTable.decode(checkpoint.proposers());
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("own checkpoint does not decode: " + e.getMessage());
        }
    }

    ProposerTable proposers() {
        return proposers;
    }

    Outcome apply(ProposedCommand command) {
        mix(command.proposer());
        mix(command.incarnation());
        mix(command.stream());
        mix(command.sequence());
        mix(command.command().hashCode());
        RegisterCommand register = RegisterCommand.decode(command.command());
        State state = read(register.key());
        Write write = register.write();
        if (write.expectedVersion() != -1 && write.expectedVersion() != state.version()) {
            return Outcome.BAD_VERSION;
        }
        registers.put(register.key(), new State(write.value(), state.version() + 1));
        return Outcome.written(state.version() + 1);
    }

    /** Who votes after the latest position; null while the order has not changed the initial membership. */
    public Membership membership() {
        return membership;
    }

    void membershipChanged(Membership changed) {
        membership = changed;
        mix(changed.hashCode());
    }

    void positionApplied(long applied) {
        InvariantViolated.check(applied == position + 1, "position %d executed after %d", applied, position);
        position = applied;
        mix(applied);
    }

    private void mix(long number) {
        digest = (digest ^ number) * DIGEST_MULTIPLIER;
        digest ^= digest >>> 32;
    }

    /** The present state of a register. */
    public State read(String key) {
        return registers.getOrDefault(key, INITIAL);
    }

    long position() {
        return position;
    }

    long digest() {
        return digest;
    }

    Checkpoint checkpoint() {
        return new Checkpoint(position, Map.copyOf(registers), proposers.encode(), digest, membership);
    }
}
