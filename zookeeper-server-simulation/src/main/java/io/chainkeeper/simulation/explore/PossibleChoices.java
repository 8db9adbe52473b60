package io.chainkeeper.simulation.explore;

import io.chainkeeper.simulation.explore.Choice.Kind;
import io.chainkeeper.simulation.explore.ReplicaStates.LocalState;
import io.chainkeeper.simulation.explore.Scope.Detail;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Which steps may follow a state. */
final class PossibleChoices {
    private static final int BATCH_SORTS = (Choice.AND_WRITE | Choice.AND_DURABLE) + 1;

    private final Steps steps;
    private final Scope scope;
    private final EnsembleState state;
    private final List<Choice> choices = new ArrayList<>();

    PossibleChoices(Steps steps, EnsembleState state) {
        this.steps = steps;
        this.scope = steps.scope();
        this.state = state;
    }

    /** Everything that the scope allows to happen next; to be called once. */
    List<Choice> all() {
        for (int to = 1; to <= state.replicas; to++) {
            for (int from = 1; from <= state.replicas; from++) {
                if (steps.standsForUnit(to) && steps.standsForUnit(from)) {
                    add(Kind.DELIVER, to, from);
                }
            }
        }
        for (int id = 1; id <= state.replicas; id++) {
            addLocal(id);
            addCheckpointsAndStates(id);
            addCrashes(id);
        }
        choices.addAll(steps.disks().possible(state));
        if (state.breaks < scope.maxBreaks()) {
            for (int a = 1; a <= state.replicas; a++) {
                for (int b = a + 1; b <= state.replicas; b++) {
                    add(Kind.BREAK, a, b);
                }
            }
        }
        return choices;
    }

    private void addLocal(int id) {
        add(Kind.SYNC, id, 0);
        if (scope.has(Detail.RECORD_BY_RECORD) && steps.local(state, id).unstableRecords() > 1) {
            add(Kind.SYNC_ONE, id, 0);
        }
        boolean mayWrite = state.writes[id] < scope.writes().get(id - 1) + Beginning.writes(scope, id);
        if (scope.has(Detail.BATCHES)) {
            for (int besides = 0; besides < BATCH_SORTS; besides++) {
                if (mayWrite || (besides & Choice.AND_WRITE) == 0) {
                    add(Kind.BATCH, id, besides);
                }
            }
        }
        if (mayWrite) {
            add(Kind.PROPOSE, id, 0);
        }
        if (state.reads[id] < scope.reads().get(id - 1)) {
            add(Kind.READ, id, 0);
        }
        if (state.ticks[id] < scope.ticks().get(id - 1) && steps.standsForUnit(id)) {
            add(Kind.TICK, id, 0);
        }
    }

    private void addCheckpointsAndStates(int id) {
        if (state.checkpoints[id] < scope.checkpoints().get(id - 1)) {
            add(Kind.CHECKPOINT, id, 0);
        }
        add(Kind.KEEP, id, 0);
        if (scope.changes()) {
            add(Kind.CONFIGURE, id, 0);
        }
        add(Kind.FETCH, id, 0);
        add(Kind.INSTALL, id, 0);
    }

    private void addCrashes(int id) {
        if (state.restarts < scope.maxRestarts()) {
            add(Kind.RESTART, id, 0);
            add(Kind.RESTART_OLDER, id, 0);
        }
        if (state.crashes < scope.maxCrashes() && scope.mayCrash().get(id - 1) > 0) {
            int survivors = scope.has(Detail.SURVIVORS) ? steps.local(state, id).unstableRecords() : 0;
            for (int each = 0; each <= survivors; each++) {
                add(Kind.CRASH, id, each);
            }
        }
    }

    private void add(Kind kind, int replica, int peer) {
        Choice choice = new Choice(kind, replica, peer);
        if (isPossible(choice)) {
            choices.add(choice);
        }
    }

    /** Whether a step makes sense in the state, whatever the scope allows. */
    boolean isPossible(Choice choice) {
        int id = choice.replica();
        int peer = choice.peer();
        if (id < 1 || id > state.replicas || peer < 0) {
            return false;
        }
        LocalState local = steps.local(state, id);
        boolean running = local.isRunning();
        return switch (choice.kind()) {
            case DELIVER -> isOther(peer, id) && steps.isOnTheWay(state, peer, id);
            case BATCH -> running && peer < BATCH_SORTS && isBatch(id, peer);
            case SYNC, SYNC_ONE -> running && local.unstableRecords() > 0;
            case TICK -> isAnyRunning(steps.unitOf(id));
            case RESTART -> !running;
            case RESTART_OLDER -> !running && local.keepsOlderCheckpoint();
            case CHECKPOINT ->
                running
                        && !local.writesCheckpoint()
                        && local.delivered() > local.checkpoint().position();
            case KEEP -> running && local.writesCheckpoint();
            case CONFIGURE -> running && !local.knowsChange();
            case FETCH ->
                scope.has(Detail.SLOW_TRANSFERS) && canGetState(id) && steps.offeredTo(state, id) != local.fetched();
            case INSTALL ->
                scope.has(Detail.SLOW_TRANSFERS)
                        ? running && steps.positionOf(local.fetched()) > local.delivered()
                        : canGetState(id);
            case CRASH -> running && peer <= local.unstableRecords();
            case BREAK ->
                running
                        && isOther(peer, id)
                        && steps.local(state, peer).isRunning()
                        && !state.hasNews(id, peer)
                        && !state.hasNews(peer, id);
            case ANSWER, CARRY_OUT, TEAR, DROP, FAIL -> steps.disks().isPossible(state, choice);
            default -> running;
        };
    }

    private boolean isOther(int peer, int id) {
        return peer >= 1 && peer <= state.replicas && peer != id;
    }

    /** Whether there are at least two inputs, and what is asked for besides frames is there. */
    private boolean isBatch(int id, int besides) {
        boolean hasRecords = steps.local(state, id).unstableRecords() > 0;
        if ((besides & Choice.AND_DURABLE) != 0 && !hasRecords) {
            return false;
        }
        int inputs = Integer.bitCount(besides);
        for (int from = 1; from <= state.replicas; from++) {
            int[] items = state.link(from, id);
            for (int i = 0; i < items.length && items[i] >= 0; i++) {
                inputs++;
            }
        }
        return inputs > 1;
    }

    private boolean isAnyRunning(int[] ids) {
        return IntStream.of(ids).anyMatch(id -> steps.local(state, id).isRunning());
    }

    /** Whether a replica has asked for a state, and whom it asked has one that it can use. */
    boolean canGetState(int id) {
        LocalState local = steps.local(state, id);
        if (!local.isRunning() || local.wantsStateOf() == 0) {
            return false;
        }
        LocalState source = steps.local(state, local.wantsStateOf());
        return source.isRunning() && source.checkpoint().position() > local.delivered();
    }
}
