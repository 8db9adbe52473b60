package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.explore.Choice.Kind;
import io.chainkeeper.simulation.explore.ReplicaStates.LocalState;
import io.chainkeeper.simulation.explore.ReplicaStates.Reaction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Which steps are possible in a state, and what each leads to. Checks after every step that nothing promised is broken:
 * one value per position for ever, contiguous, exactly once and first in first out; a write is answered only when a
 * quorum of disks hold it; a read sees everything that was answered to anybody before it was asked.
 */
final class Steps {
    private static final int MAX_SETTLE_TICKS = 100;
    static final LocalInput ONE_TICK = new LocalInput(LocalInput.Kind.TICK, 0, 1);

    private final Scope scope;
    private final ReplicaMaker maker;
    private final ReplicaStates[] replicas;
    private final Orders orders;

    private final StepWords words;

    Steps(OrderingProtocolFactory factory, Scope scope) {
        this.scope = scope;
        this.maker = new ReplicaMaker(factory, scope);
        this.orders = new Orders(maker);
        this.words = new StepWords(maker, orders);
        this.replicas = new ReplicaStates[scope.replicas() + 1];
        for (int id = 1; id <= scope.replicas(); id++) {
            replicas[id] = new ReplicaStates(id, maker);
        }
    }

    /** Tells somebody in words of what happens from now on; nobody, if null. */
    void listen(Consumer<String> listener) {
        words.listen(listener);
    }

    LocalState local(EnsembleState state, int id) {
        return replicas[id].get(state.locals[id]);
    }

    // ---------------------------------------------------------------- many steps at once

    /** The state that the scope begins with. */
    EnsembleState start() {
        return new Beginning(scope, this).state();
    }

    /** A tick everywhere, and all that follows from it. */
    void pass(EnsembleState state) {
        for (int id = 1; id <= state.replicas; id++) {
            if (local(state, id).isRunning()) {
                react(state, id, ONE_TICK);
            }
        }
        deliverAll(state);
    }

    /** Everything on its way arrives, everything appended becomes durable, until nothing is left of either. */
    void deliverAll(EnsembleState state) {
        boolean more = true;
        while (more) {
            more = false;
            for (int to = 1; to <= state.replicas; to++) {
                for (int from = 1; from <= state.replicas; from++) {
                    while (state.link(from, to).length > 0) {
                        deliver(state, from, to);
                        more = true;
                    }
                }
                if (local(state, to).unstableRecords() > 0) {
                    react(state, to, LocalInput.SYNC);
                    more = true;
                }
            }
        }
    }

    // ---------------------------------------------------------------- the end

    /**
     * No more faults: replicas that are down start again, everything arrives, and time passes. Then everything that
     * was asked has to be answered, and all replicas have to know all of the order.
     *
     * @throws InvariantViolated if that does not come about, or a promise is broken on the way
     */
    void settle(EnsembleState state) {
        for (int id = 1; id <= state.replicas; id++) {
            if (!local(state, id).isRunning()) {
                restart(state, id);
            }
            if (scope.changes() && !local(state, id).knowsChange()) {
                react(state, id, LocalInput.ENSEMBLE);
            }
        }
        deliverAll(state);
        for (int round = 0; round < MAX_SETTLE_TICKS && !unsettled(state).isEmpty(); round++) {
            for (int id = 1; id <= state.replicas; id++) {
                if (canInstall(state, id)) {
                    install(state, id);
                }
            }
            pass(state);
        }
        InvariantViolated.check(
                unsettled(state).isEmpty(),
                "liveness: %d ticks without faults, and still %s",
                MAX_SETTLE_TICKS,
                unsettled(state));
    }

    private String unsettled(EnsembleState state) {
        List<Integer> members =
                orders.membership(state.order, orders.length(state.order) + 1).replicaIds();
        List<Integer> meant = maker.next().participants();
        if (members.size() != meant.size() || !members.containsAll(meant)) {
            return "the members are " + members + " and not " + meant;
        }
        for (int id : meant) {
            LocalState local = local(state, id);
            if (local.openWrites() > 0) {
                return "replica " + id + " owes answers to writes";
            }
            if (local.delivered() < orders.length(state.order)) {
                return "replica " + id + " knows the order only up to " + local.delivered();
            }
        }
        for (int id : meant) {
            if (state.hasOpenRead(id)) {
                return "replica " + id + " owes answers to reads";
            }
        }
        return "";
    }

    // ---------------------------------------------------------------- choices

    /** Everything that the scope allows to happen next. */
    List<Choice> possible(EnsembleState state) {
        List<Choice> choices = new ArrayList<>();
        for (int to = 1; to <= state.replicas; to++) {
            for (int from = 1; from <= state.replicas; from++) {
                if (state.link(from, to).length > 0) {
                    choices.add(new Choice(Kind.DELIVER, to, from));
                }
            }
        }
        for (int id = 1; id <= state.replicas; id++) {
            addLocal(state, id, choices);
        }
        if (state.breaks < scope.maxBreaks()) {
            for (int a = 1; a <= state.replicas; a++) {
                for (int b = a + 1; b <= state.replicas; b++) {
                    add(choices, state, new Choice(Kind.BREAK, a, b));
                }
            }
        }
        return choices;
    }

    private void addLocal(EnsembleState state, int id, List<Choice> choices) {
        LocalState local = local(state, id);
        add(choices, state, new Choice(Kind.SYNC, id, 0));
        if (scope.recordByRecord() && local.unstableRecords() > 1) {
            choices.add(new Choice(Kind.SYNC_ONE, id, 0));
        }
        if (state.writes[id] < scope.writes().get(id - 1) + Beginning.writes(scope, id)) {
            add(choices, state, new Choice(Kind.PROPOSE, id, 0));
        }
        if (state.reads[id] < scope.reads().get(id - 1)) {
            add(choices, state, new Choice(Kind.READ, id, 0));
        }
        if (state.ticks[id] < scope.ticks().get(id - 1)) {
            add(choices, state, new Choice(Kind.TICK, id, 0));
        }
        if (state.checkpoints[id] < scope.checkpoints().get(id - 1)) {
            add(choices, state, new Choice(Kind.CHECKPOINT, id, 0));
        }
        if (scope.changes()) {
            add(choices, state, new Choice(Kind.CONFIGURE, id, 0));
        }
        add(choices, state, new Choice(Kind.INSTALL, id, 0));
        if (state.restarts < scope.maxRestarts()) {
            add(choices, state, new Choice(Kind.RESTART, id, 0));
        }
        if (state.crashes < scope.maxCrashes() && scope.mayCrash().get(id - 1) > 0) {
            add(choices, state, new Choice(Kind.CRASH, id, 0));
        }
    }

    private void add(List<Choice> choices, EnsembleState state, Choice choice) {
        if (isPossible(state, choice)) {
            choices.add(choice);
        }
    }

    /** Whether a step makes sense in a state, whatever the scope allows. */
    boolean isPossible(EnsembleState state, Choice choice) {
        int id = choice.replica();
        int peer = choice.peer();
        if (id < 1 || id > state.replicas || peer < 0 || peer > state.replicas || id == peer) {
            return false;
        }
        boolean running = local(state, id).isRunning();
        return switch (choice.kind()) {
            case DELIVER -> state.link(peer, id).length > 0;
            case SYNC, SYNC_ONE -> running && local(state, id).unstableRecords() > 0;
            case RESTART -> !running;
            case CHECKPOINT ->
                running
                        && local(state, id).delivered()
                                > local(state, id).checkpoint().position();
            case CONFIGURE -> running && !local(state, id).knowsChange();
            case INSTALL -> canInstall(state, id);
            case BREAK ->
                running && local(state, peer).isRunning() && !state.hasNews(id, peer) && !state.hasNews(peer, id);
            default -> running;
        };
    }

    /** Whether a replica has asked for a state, and whom it asked has one that it can use. */
    private boolean canInstall(EnsembleState state, int id) {
        LocalState local = local(state, id);
        if (!local.isRunning() || local.wantsStateOf() == 0) {
            return false;
        }
        LocalState source = local(state, local.wantsStateOf());
        return source.isRunning() && source.checkpoint().position() > local.delivered();
    }

    // ---------------------------------------------------------------- what a choice leads to

    /**
     * Changes the state as the step does.
     *
     * @throws InvariantViolated if the step breaks a promise
     */
    void apply(EnsembleState state, Choice choice) {
        int id = choice.replica();
        switch (choice.kind()) {
            case DELIVER -> deliver(state, choice.peer(), id);
            case SYNC -> react(state, id, LocalInput.SYNC);
            case SYNC_ONE -> react(state, id, LocalInput.SYNC_ONE);
            case PROPOSE -> {
                state.writes[id]++;
                react(state, id, LocalInput.PROPOSE);
            }
            case READ -> {
                state.reads[id]++;
                react(state, id, LocalInput.READ);
            }
            case TICK -> {
                state.ticks[id]++;
                react(state, id, new LocalInput(LocalInput.Kind.TICK, 0, scope.ticksAtOnce()));
            }
            case CHECKPOINT -> {
                state.checkpoints[id]++;
                react(state, id, LocalInput.CHECKPOINT);
            }
            case CONFIGURE -> react(state, id, LocalInput.ENSEMBLE);
            case INSTALL -> install(state, id);
            case RESTART -> {
                state.restarts++;
                restart(state, id);
            }
            case CRASH -> {
                state.crashes++;
                stop(state, id);
            }
            case BREAK -> {
                state.breaks++;
                lose(state, id, choice.peer());
                lose(state, choice.peer(), id);
                connect(state, id, choice.peer());
            }
            default -> throw new IllegalStateException("unknown step " + choice);
        }
    }

    private void deliver(EnsembleState state, int from, int to) {
        int item = state.removeFirst(from, to);
        if (item == EnsembleState.DOWN) {
            react(state, to, new LocalInput(LocalInput.Kind.PEER_DOWN, from, 0));
        } else if (item == EnsembleState.UP) {
            react(state, to, new LocalInput(LocalInput.Kind.PEER_UP, from, 0));
        } else {
            react(state, to, new LocalInput(LocalInput.Kind.FRAME, from, item));
        }
    }

    void restart(EnsembleState state, int id) {
        react(state, id, LocalInput.START);
        for (int peer = 1; peer <= state.replicas; peer++) {
            if (peer != id && local(state, peer).isRunning()) {
                connect(state, id, peer);
            }
        }
    }

    private void install(EnsembleState state, int id) {
        int number =
                maker.numberOf(local(state, local(state, id).wantsStateOf()).checkpoint());
        stop(state, id);
        react(state, id, new LocalInput(LocalInput.Kind.INSTALL, 0, number));
        restart(state, id);
    }

    void stop(EnsembleState state, int id) {
        state.removeOpenReadsOf(id);
        react(state, id, LocalInput.CRASH);
        for (int peer = 1; peer <= state.replicas; peer++) {
            if (peer != id) {
                state.setLink(peer, id);
                lose(state, id, peer);
            }
        }
    }

    private static void connect(EnsembleState state, int a, int b) {
        state.append(a, b, EnsembleState.UP);
        state.append(b, a, EnsembleState.UP);
    }

    /** What is on its way is gone; the receiver will be told, unless it does not know yet that the link was up. */
    private void lose(EnsembleState state, int from, int to) {
        boolean down = false;
        boolean up = local(state, to).isRunning() && local(state, to).isLinkUp(from);
        for (int item : state.link(from, to)) {
            down |= item == EnsembleState.DOWN;
        }
        if (up || down) {
            state.setLink(from, to, EnsembleState.DOWN);
        } else {
            state.setLink(from, to);
        }
    }

    void react(EnsembleState state, int id, LocalInput input) {
        Reaction reaction = replicas[id].react(local(state, id), input);
        words.tell(id, input, reaction);
        if (reaction.failure() != null) {
            throw new InvariantViolated(reaction.failure());
        }
        state.locals[id] = reaction.next().number();
        for (LocalEffect effect : reaction.effects()) {
            happen(state, id, effect);
        }
    }

    private void happen(EnsembleState state, int id, LocalEffect effect) {
        switch (effect.kind()) {
            case SENT -> {
                // While the sender is still to be told that the link broke, the link that it knows is gone.
                if (!state.hasNews(effect.number(), id)) {
                    state.append(id, effect.number(), effect.item());
                }
            }
            case DELIVERED ->
                state.order = orders.delivered(
                        state.order, id, effect.number(), effect.item(), effect.applied(), state.writes);
            case WRITE_ANSWERED -> {
                checkDurable(state, id, effect);
                state.answered = Math.max(state.answered, effect.applied());
            }
            case READ_ASKED -> state.addOpenRead(id, effect.number());
            case READ_ANSWERED -> {
                int floor = state.removeOpenRead(id, effect.number());
                InvariantViolated.check(
                        effect.applied() >= floor,
                        "linearizability: the read at replica %d sees %d commands, but an answer before it was asked"
                                + " rested on %d",
                        id,
                        effect.applied(),
                        floor);
                state.answered = Math.max(state.answered, effect.applied());
            }
            default -> throw new IllegalStateException("unknown effect " + effect);
        }
    }

    private void checkDurable(EnsembleState state, int id, LocalEffect effect) {
        Membership inForce = orders.membership(state.order, effect.number());
        int disks = 0;
        for (int each : inForce.replicaIds()) {
            disks += local(state, each).holdsStable(effect.number(), effect.item()) ? 1 : 0;
        }
        InvariantViolated.check(
                disks >= inForce.quorum(),
                "durability: replica %d answers %s at position %d, which %d disks hold, but a quorum is %d",
                id,
                orders.describe(effect.item()),
                effect.number(),
                disks,
                inForce.quorum());
    }

    // ---------------------------------------------------------------- figures

    String protocol() {
        return maker.protocol();
    }

    Scope scope() {
        return scope;
    }

    /** States of single replicas that have turned up. */
    int localStates() {
        int sum = 0;
        for (int id = 1; id <= scope.replicas(); id++) {
            sum += replicas[id].size();
        }
        return sum;
    }

    /** Inputs that real objects have taken. */
    long inputsFed() {
        long sum = 0;
        for (int id = 1; id <= scope.replicas(); id++) {
            sum += replicas[id].inputsFed();
        }
        return sum;
    }
}
