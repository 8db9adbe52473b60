package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.explore.ReplicaStates.LocalState;
import io.chainkeeper.simulation.explore.ReplicaStates.Reaction;
import io.chainkeeper.simulation.explore.Scope.Detail;
import io.chainkeeper.simulation.host.HostRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What each step leads to in a state. Checks after every step that nothing promised is broken:
 * one value per position for ever, contiguous, exactly once and first in first out; a write is answered only when a
 * quorum of disks hold it; a read sees everything that was answered to anybody before it was asked.
 */
final class Steps {
    static final LocalInput ONE_TICK = new LocalInput(LocalInput.Kind.TICK, 0, 1);

    private final Scope scope;
    private final ReplicaMaker maker;
    private final ReplicaStates[] replicas;
    private final Orders orders;

    private final StepWords words;
    private final boolean someInStep;
    private final SharedDiskSteps disks;

    /** By replica id: the ids of those that are in step with it, itself included. */
    private final int[][] units;

    /** @param missing rules that hosts do without */
    Steps(OrderingProtocolFactory factory, Scope scope, Set<HostRule> missing) {
        this.scope = scope;
        this.maker = new ReplicaMaker(factory, scope, missing);
        this.someInStep = scope.inStep().stream().anyMatch(group -> group > 0);
        this.units = new int[scope.replicas() + 1][];
        for (int id = 1; id <= scope.replicas(); id++) {
            units[id] = scope.unitOf(id);
        }
        this.orders = new Orders(maker);
        this.disks = new SharedDiskSteps(this, maker.shared(), scope);
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
        deliverAll(state, 0);
    }

    /** @param slowDisk where what is appended does not become durable; 0 for nowhere */
    void deliverAll(EnsembleState state, int slowDisk) {
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
                for (int disk = 1; disk <= state.shared.disks; disk++) {
                    more |= disks.answerAll(state, to, disk);
                }
                if (to != slowDisk && local(state, to).unstableRecords() > 0) {
                    react(state, to, LocalInput.SYNC);
                    more = true;
                }
            }
        }
    }

    /** What follows at once from the last step where replicas are in step. */
    private void keepInStep(EnsembleState state) {
        boolean more = someInStep;
        while (more) {
            more = false;
            for (int to = 1; to <= state.replicas; to++) {
                more |= scope.isInStep(to) && deliverInStep(state, to);
            }
        }
    }

    private boolean deliverInStep(EnsembleState state, int to) {
        boolean some = false;
        for (int from : units[to]) {
            while (state.link(from, to).length > 0) {
                deliver(state, from, to);
                some = true;
            }
        }
        if (local(state, to).unstableRecords() > 0) {
            react(state, to, LocalInput.SYNC);
            some = true;
        }
        return some;
    }

    /**
     * No more faults: replicas that are down start again, links are made where there are none, everything arrives, and
     * time passes. Then everything that was asked has to be answered, and all replicas have to know all of the order.
     *
     * @throws InvariantViolated if that does not come about, or a promise is broken on the way
     */
    void settle(EnsembleState state) {
        if (disks.hasOrphans(state)) {
            EnsembleState without = decode(state.encode());
            disks.settleOrphans(without, false);
            new Settling(this, without).settle();
            disks.settleOrphans(state, true);
        }
        new Settling(this, state).settle();
    }

    /** Everything that the scope allows to happen next. */
    List<Choice> possible(EnsembleState state) {
        return new PossibleChoices(this, state).all();
    }

    /** Whether a step makes sense in a state, whatever the scope allows. */
    boolean isPossible(EnsembleState state, Choice choice) {
        return new PossibleChoices(this, state).isPossible(choice);
    }

    // ---------------------------------------------------------------- what a choice leads to

    /**
     * Changes the state as the step does.
     *
     * @throws InvariantViolated if the step breaks a promise
     */
    void apply(EnsembleState state, Choice choice) {
        count(state, choice);
        carryOut(state, choice);
        keepInStep(state);
    }

    private static void count(EnsembleState state, Choice choice) {
        int id = choice.replica();
        switch (choice.kind()) {
            case BATCH -> state.writes[id] += choice.peer() & Choice.AND_WRITE;
            case PROPOSE -> state.writes[id]++;
            case READ -> state.reads[id]++;
            case TICK -> state.ticks[id]++;
            case CHECKPOINT -> state.checkpoints[id]++;
            case RESTART, RESTART_OLDER -> state.restarts++;
            case CRASH -> state.crashes++;
            case BREAK -> state.breaks++;
            default -> {
                // Nothing that a scope limits.
            }
        }
    }

    private void carryOut(EnsembleState state, Choice choice) {
        int id = choice.replica();
        switch (choice.kind()) {
            case DELIVER -> deliverToUnit(state, choice.peer(), id);
            case BATCH -> deliverBatch(state, id, choice.peer());
            case SYNC -> react(state, id, LocalInput.SYNC);
            case SYNC_ONE -> react(state, id, LocalInput.SYNC_ONE);
            case PROPOSE -> react(state, id, LocalInput.PROPOSE);
            case READ -> react(state, id, LocalInput.READ);
            case TICK -> tick(state, id);
            case CHECKPOINT -> react(state, id, LocalInput.CHECKPOINT);
            case KEEP -> react(state, id, LocalInput.KEEP);
            case CONFIGURE -> react(state, id, LocalInput.ENSEMBLE);
            case FETCH -> react(state, id, new LocalInput(LocalInput.Kind.FETCH, 0, offeredTo(state, id)));
            case INSTALL -> {
                if (scope.has(Detail.SLOW_TRANSFERS)) {
                    install(state, id, local(state, id).fetched());
                } else {
                    installAtOnce(state, id);
                }
            }
            case RESTART -> restart(state, id);
            case RESTART_OLDER -> {
                react(state, id, LocalInput.LOSE_CHECKPOINT);
                restart(state, id);
            }
            case CRASH -> stop(state, id, choice.peer());
            case BREAK -> {
                cut(state, id, choice.peer());
                connect(state, id, choice.peer());
            }
            default -> disks.carryOut(state, choice);
        }
    }

    private void tick(EnsembleState state, int id) {
        LocalInput ticks = new LocalInput(LocalInput.Kind.TICK, 0, scope.ticksAtOnce());
        for (int each : units[id]) {
            if (local(state, each).isRunning()) {
                react(state, each, ticks);
            }
        }
    }

    /** One frame, or one piece of news, of each link between those in step with the one and those with the other. */
    private void deliverToUnit(EnsembleState state, int from, int to) {
        for (int sender : units[from]) {
            for (int receiver : units[to]) {
                if (state.link(sender, receiver).length > 0) {
                    deliver(state, sender, receiver);
                }
            }
        }
    }

    /** Whether anything is on its way between those in step with the one and those with the other. */
    boolean isOnTheWay(EnsembleState state, int from, int to) {
        for (int sender : units[from]) {
            for (int receiver : units[to]) {
                if (state.link(sender, receiver).length > 0) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether choices name this replica, and not another one that is in step with it. */
    boolean standsForUnit(int id) {
        return units[id][0] == id;
    }

    /** Those in step with a replica, itself included. */
    int[] unitOf(int id) {
        return units[id];
    }

    /** The frames at the front of each link; what a receiver is to be told of a link comes by itself. */
    private void deliverBatch(EnsembleState state, int to, int besides) {
        List<OnTheWay> frames = new ArrayList<>();
        for (int from = 1; from <= state.replicas; from++) {
            while (state.link(from, to).length > 0 && state.link(from, to)[0] >= 0) {
                frames.add(new OnTheWay(from, state.removeFirst(from, to)));
            }
        }
        react(state, to, new LocalInput(LocalInput.Kind.BATCH, besides, maker.numberOf(frames)));
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

    /** The number of the state that a replica would get from the one that it has asked. */
    int offeredTo(EnsembleState state, int id) {
        return maker.numberOf(local(state, local(state, id).wantsStateOf()).offeredState());
    }

    /** Position of a state by its number. */
    long positionOf(int number) {
        return maker.state(number).checkpoint().position();
    }

    void installAtOnce(EnsembleState state, int id) {
        install(state, id, offeredTo(state, id));
        restart(state, id);
    }

    private void install(EnsembleState state, int id, int number) {
        stop(state, id, 0);
        react(state, id, new LocalInput(LocalInput.Kind.INSTALL, 0, number));
    }

    /** @param survivors how many records that were not durable are on its disk all the same */
    void stop(EnsembleState state, int id, int survivors) {
        state.removeOpenReadsOf(id);
        disks.stop(state, id);
        react(state, id, new LocalInput(LocalInput.Kind.CRASH, 0, survivors));
        for (int peer = 1; peer <= state.replicas; peer++) {
            if (peer != id) {
                state.setLink(peer, id);
                lose(state, id, peer);
            }
        }
    }

    /** A link is gone, with what was on its way in both directions. */
    void cut(EnsembleState state, int a, int b) {
        lose(state, a, b);
        lose(state, b, a);
    }

    static void connect(EnsembleState state, int a, int b) {
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
            case ASKED -> state.shared.append(id, effect.number(), effect.item());
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
        if (maker.disks() > 0) {
            disks.checkDurable(state, id, effect, orders.describe(effect.item()));
            return;
        }
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

    // ---------------------------------------------------------------- states as rows of numbers

    EnsembleState decode(int[] row) {
        return EnsembleState.decode(scope.replicas(), maker.disks(), row);
    }

    SharedDiskSteps disks() {
        return disks;
    }

    /** How many disks the replicas share. */
    int sharedDisks() {
        return maker.disks();
    }

    // ---------------------------------------------------------------- figures

    String protocol() {
        return maker.protocol();
    }

    Orders orders() {
        return orders;
    }

    /** Ids that are configured after the change. */
    List<Integer> meant() {
        return maker.next().participants();
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
