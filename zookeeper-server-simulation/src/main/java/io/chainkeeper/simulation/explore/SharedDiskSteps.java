package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.explore.Choice.Kind;
import io.chainkeeper.simulation.explore.Scope.Detail;
import io.chainkeeper.simulation.explore.SharedBlocks.Answer;
import io.chainkeeper.simulation.explore.SharedBlocks.Request;
import java.util.ArrayList;
import java.util.List;

/**
 * What may become of requests to shared disks, as {@code SharedDisks} has it.
 *
 * <p>A request is carried out when it is answered, or earlier. Earlier matters only to who asks the same disk for the
 * same blocks, one of the two writing: with everything else the carrying out of a request may change places. So it may
 * be put off until what asks for the same blocks is carried out, which must then be waiting, or until the answer. A
 * request is carried out by itself only where something that is in conflict with it, or with one behind it, waits.
 */
final class SharedDiskSteps {
    private final Steps steps;
    private final SharedBlocks blocks;
    private final boolean mayTear;
    private final int maxFailures;

    SharedDiskSteps(Steps steps, SharedBlocks blocks, Scope scope) {
        this.steps = steps;
        this.blocks = blocks;
        this.mayTear = scope.has(Detail.TORN_WRITES);
        this.maxFailures = scope.maxDiskFailures();
    }

    // ---------------------------------------------------------------- what may follow

    /** Everything that the scope allows next. */
    List<Choice> possible(EnsembleState state) {
        List<Choice> choices = new ArrayList<>();
        for (int id = 1; id <= state.replicas; id++) {
            for (int disk = 1; disk <= state.shared.disks; disk++) {
                for (Kind kind : List.of(Kind.ANSWER, Kind.CARRY_OUT, Kind.TEAR, Kind.DROP, Kind.FAIL)) {
                    Choice choice = new Choice(kind, id, disk);
                    if (isPossible(state, choice) && isInScope(state, choice)) {
                        choices.add(choice);
                    }
                }
            }
        }
        return choices;
    }

    private boolean isInScope(EnsembleState state, Choice choice) {
        return switch (choice.kind()) {
            case FAIL -> state.diskFailures < maxFailures;
            case TEAR -> mayTear;
            default -> true;
        };
    }

    /** Whether a step makes sense in the state, whatever the scope allows. */
    boolean isPossible(EnsembleState state, Choice choice) {
        int id = choice.replica();
        int disk = choice.peer();
        SharedState shared = state.shared;
        if (disk < 1 || disk > shared.disks || shared.length(id, disk) == 0) {
            return false;
        }
        boolean isOrphan = shared.isOrphan(id, disk, 0);
        int next = shared.next(id, disk);
        boolean isWaiting = next < shared.length(id, disk);
        // An orphan is in the way of what was asked for behind it.
        boolean isInTheWay = isOrphan && !shared.isOrphan(id, disk, shared.length(id, disk) - 1);
        boolean matters = isWaiting && (isInTheWay || isInConflict(state, id, disk, next));
        return switch (choice.kind()) {
            case ANSWER -> !isOrphan;
            case CARRY_OUT -> matters;
            case TEAR ->
                matters
                        && !shared.isTorn(id, disk, next)
                        && blocks.request(shared.request(id, disk, next)).isWrite();
            case DROP -> isInTheWay;
            case FAIL -> !shared.isOrphan(id, disk, shared.length(id, disk) - 1);
            default -> false;
        };
    }

    /** Whether somebody else waits for the same blocks as one of these requests. */
    private boolean isInConflict(EnsembleState state, int id, int disk, int from) {
        SharedState shared = state.shared;
        for (int at = from; at < shared.length(id, disk); at++) {
            Request mine = blocks.request(shared.request(id, disk, at));
            for (int other = 1; other <= state.replicas; other++) {
                for (int theirs = shared.next(other, disk); theirs < shared.length(other, disk); theirs++) {
                    Request another = blocks.request(shared.request(other, disk, theirs));
                    if (other != id && mine.isInConflictWith(another)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    // ---------------------------------------------------------------- what a step leads to

    void carryOut(EnsembleState state, Choice choice) {
        int id = choice.replica();
        int disk = choice.peer();
        switch (choice.kind()) {
            case ANSWER -> answer(state, id, disk);
            case CARRY_OUT -> {
                int next = state.shared.next(id, disk);
                carryOut(state, id, disk, next);
                if (state.shared.isOrphan(id, disk, next)) {
                    state.shared.remove(id, disk, next);
                }
            }
            case TEAR -> tear(state, id, disk);
            case DROP -> state.shared.remove(id, disk, 0);
            case FAIL -> {
                state.diskFailures++;
                orphan(state, id, disk);
                steps.react(state, id, new LocalInput(LocalInput.Kind.DISK_FAILED, disk, 0));
            }
            default -> throw new IllegalStateException("no step of a shared disk: " + choice);
        }
    }

    private void carryOut(EnsembleState state, int id, int disk, int at) {
        SharedState shared = state.shared;
        int number = shared.request(id, disk, at);
        int content = shared.contents[disk - 1];
        boolean isOrphan = shared.isOrphan(id, disk, at);
        if (blocks.request(number).isWrite()) {
            shared.contents[disk - 1] = blocks.written(content, number, false);
        }
        if (!isOrphan) {
            boolean isWrite = blocks.request(number).isWrite();
            int read = isWrite ? SharedBlocks.NOTHING_READ : blocks.found(content, number);
            shared.setCarriedOut(id, disk, at, read);
        }
    }

    private void tear(EnsembleState state, int id, int disk) {
        SharedState shared = state.shared;
        int next = shared.next(id, disk);
        int number = shared.request(id, disk, next);
        shared.contents[disk - 1] = blocks.written(shared.contents[disk - 1], number, true);
        shared.mark(id, disk, next, SharedState.TORN);
    }

    /** The oldest request of a replica is carried out, unless it has been, and answered. */
    private void answer(EnsembleState state, int id, int disk) {
        SharedState shared = state.shared;
        if (!shared.isCarriedOut(id, disk, 0)) {
            carryOut(state, id, disk, 0);
        }
        Answer answer = new Answer(blocks.request(shared.request(id, disk, 0)), shared.result(id, disk, 0));
        shared.remove(id, disk, 0);
        steps.react(state, id, new LocalInput(LocalInput.Kind.BLOCKS, disk, blocks.numberOf(answer)));
    }

    /** What a replica has asked for, and what has not been answered, never will be; writes may happen all the same. */
    private void orphan(EnsembleState state, int id, int disk) {
        SharedState shared = state.shared;
        for (int at = shared.length(id, disk) - 1; at >= 0; at--) {
            boolean isWrite = blocks.request(shared.request(id, disk, at)).isWrite();
            if (isWrite && !shared.isCarriedOut(id, disk, at)) {
                shared.mark(id, disk, at, SharedState.ORPHAN);
            } else {
                shared.remove(id, disk, at);
            }
        }
    }

    /** A replica is down. */
    void stop(EnsembleState state, int id) {
        for (int disk = 1; disk <= state.shared.disks; disk++) {
            orphan(state, id, disk);
        }
    }

    /** Everything that a replica has asked of a disk is carried out and answered. Returns whether there was any. */
    boolean answerAll(EnsembleState state, int id, int disk) {
        boolean some = false;
        while (state.shared.length(id, disk) > 0) {
            InvariantViolated.check(!state.shared.isOrphan(id, disk, 0), "an orphan is in the way");
            answer(state, id, disk);
            some = true;
        }
        return some;
    }

    /** Whether there is a write of which nobody knows whether it happens. */
    boolean hasOrphans(EnsembleState state) {
        for (int id = 1; id <= state.replicas; id++) {
            for (int disk = 1; disk <= state.shared.disks; disk++) {
                if (state.shared.length(id, disk) > 0 && state.shared.isOrphan(id, disk, 0)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** All of these happen, or none. */
    void settleOrphans(EnsembleState state, boolean happen) {
        for (int id = 1; id <= state.replicas; id++) {
            for (int disk = 1; disk <= state.shared.disks; disk++) {
                while (state.shared.length(id, disk) > 0 && state.shared.isOrphan(id, disk, 0)) {
                    if (happen) {
                        carryOut(state, id, disk, 0);
                    }
                    state.shared.remove(id, disk, 0);
                }
            }
        }
    }

    /** On a majority of the disks a value is at a position, or that position is in the checkpoints of all members. */
    void checkDurable(EnsembleState state, int id, LocalEffect answered, String value) {
        int count = 0;
        for (int content : state.shared.contents) {
            count += blocks.holds(content, answered.number(), answered.item()) ? 1 : 0;
        }
        InvariantViolated.check(
                count > state.shared.disks / 2,
                "durability: replica %d answers %s at position %d, which %d of %d shared disks hold",
                id,
                value,
                answered.number(),
                count,
                state.shared.disks);
    }
}
