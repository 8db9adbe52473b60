package io.chainkeeper.server;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.ProposerTable.Verdict;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.bootstrap.OrderingFactory;
import io.chainkeeper.server.transfer.StateOffer;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * A total order inside one JVM for tests: one thread decides, each replica executes on a thread of its own, and the log
 * outlives the replicas. Members can be cut off. Once its members are named, it admits and removes them one by one as
 * the leader's replica configures, and feeds nobody else.
 */
public final class InProcessOrder implements AutoCloseable {
    private static final int MAX_BATCH = 64;

    /** Who lags behind says so again after this time, as a protocol does. */
    private static final int TICK_MILLIS = 100;

    private final int streamCount;
    private final Object monitor = new Object();
    private final List<ByteSlice> log = new ArrayList<>();
    private final Deque<ProposedCommand> pending = new ArrayDeque<>();
    private final Map<Integer, Long> incarnations = new TreeMap<>();
    private final Map<Integer, Node> nodes = new TreeMap<>();
    private long firstKept = 1;
    private final Thread decider;
    private Membership membership;
    private int leader = OrderingStatus.NO_LEADER;
    private long epoch;
    private boolean closed;
    private final RoomToPropose room = new RoomToPropose();

    public InProcessOrder(int streamCount) {
        this.streamCount = streamCount;
        decider = new Thread(this::decide, "in-process-order");
        decider.setDaemon(true);
        decider.start();
    }

    /** How replica {@code replicaId} joins this order. */
    public OrderingFactory factory(int replicaId) {
        return (application, stateOffer, failureHandler) -> {
            synchronized (monitor) {
                long incarnation = incarnations.merge(replicaId, 1L, Long::sum);
                Node node = new Node(replicaId, incarnation, new Host(application, stateOffer, failureHandler));
                nodes.put(replicaId, node);
                if (leader == OrderingStatus.NO_LEADER) {
                    leader = replicaId;
                    epoch++;
                }
                node.executor.start();
                return node;
            }
        };
    }

    /** What a proposal can be made to wait for. */
    public RoomToPropose room() {
        return room;
    }

    /** Names the members that the order begins with. */
    public void setMembers(List<Integer> replicaIds) {
        synchronized (monitor) {
            membership = Membership.initial(1, replicaIds);
        }
    }

    public List<Integer> members() {
        return locked(() -> membership.replicaIds());
    }

    /** What a replica last told the order, null if nothing. */
    public Ensemble configured(int replicaId) {
        return locked(() -> nodes.get(replicaId).ensemble);
    }

    public Map<Integer, PeerAddress> addresses(int replicaId) {
        return locked(() -> nodes.get(replicaId).addresses);
    }

    private <T> T locked(Supplier<T> read) {
        synchronized (monitor) {
            return read.get();
        }
    }

    public void elect(int replicaId) {
        synchronized (monitor) {
            electLocked(replicaId);
        }
    }

    private void electLocked(int replicaId) {
        leader = replicaId;
        epoch++;
        tellStatus();
    }

    private void tellStatus() {
        nodes.values().forEach(node -> node.application.statusChanged(node.statusLocked()));
        monitor.notifyAll();
    }

    /** The membership one step closer to what the leader's replica configures, null if it is there. */
    private Membership nextMembership() {
        Node leading = nodes.get(leader);
        if (membership == null || leading == null || leading.ensemble == null) {
            return null;
        }
        return MembershipSteps.next(membership, leading.ensemble, id -> {
            Node joiner = nodes.get(id);
            return joiner != null && !joiner.cutOff && joiner.next > log.size() ? joiner.incarnation : 0;
        });
    }

    private void change(Membership next) {
        membership = next;
        log.add(BatchCodec.encode(next));
        if (!next.contains(leader)) {
            next.replicaIds().stream().filter(nodes::containsKey).findFirst().ifPresent(this::electLocked);
        }
        tellStatus();
    }

    /** Cuts a member off from the order, or lets it take part again; the leader is told. */
    public void setCutOff(int replicaId, boolean cutOff) {
        synchronized (monitor) {
            Node node = nodes.get(replicaId);
            node.cutOff = cutOff;
            node.application.statusChanged(node.statusLocked());
            monitor.notifyAll();
        }
        tellSilent(replicaId, cutOff);
    }

    public void tellSilent(int replicaId, boolean silent) {
        synchronized (monitor) {
            Node leading = nodes.get(leader);
            if (leading != null && leader != replicaId) {
                leading.application.memberSilent(replicaId, silent);
            }
        }
    }

    /** Forgets old positions: who needs one of them needs the state of another member. */
    public void truncate(long belowPosition) {
        synchronized (monitor) {
            firstKept = belowPosition;
            monitor.notifyAll();
        }
    }

    public long lastPosition() {
        return log().size();
    }

    /** Number of a replica's latest start. */
    public long incarnationOf(int replicaId) {
        return locked(() -> incarnations.get(replicaId));
    }

    public long executedPosition(int replicaId) {
        return locked(() -> nodes.get(replicaId).next - 1);
    }

    public long checkpointPosition(int replicaId) {
        return locked(() -> nodes.get(replicaId).checkpointPosition);
    }

    public List<ByteSlice> log() {
        return locked(() -> List.copyOf(log));
    }

    /** Decides a value that nobody has proposed at the next position. */
    public void decide(ByteSlice value) {
        synchronized (monitor) {
            log.add(value);
            monitor.notifyAll();
        }
    }

    private void decide() {
        synchronized (monitor) {
            while (!closed) {
                Membership next = nextMembership();
                if (next != null) {
                    change(next);
                    continue;
                }
                if (pending.isEmpty() || !nodes.containsKey(leader) || !room.mayOrder(pending)) {
                    awaitChange();
                    continue;
                }
                List<ProposedCommand> batch = new ArrayList<>();
                while (!pending.isEmpty() && batch.size() < MAX_BATCH) {
                    batch.add(pending.poll());
                }
                log.add(BatchCodec.encode(batch));
                monitor.notifyAll();
            }
        }
    }

    private void awaitChange() {
        try {
            monitor.wait(TICK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
        }
    }

    @Override
    public void close() {
        synchronized (monitor) {
            closed = true;
            monitor.notifyAll();
        }
    }

    private record Host(Application application, StateOffer stateOffer, FailureHandler failureHandler) {}

    private final class Node implements TotalOrder, OrderingFactory.RunningOrder {
        private final int replicaId;
        private final long incarnation;
        private final Application application;
        private final Host host;
        private final Thread executor;
        private final OwnProposals own;
        private final ReadBarriers barriers = new ReadBarriers();
        private final Deque<ProposedCommand> held = new ArrayDeque<>();
        private volatile long next;
        private volatile long checkpointPosition;
        private Ensemble ensemble;
        private Map<Integer, PeerAddress> addresses = Map.of();
        private boolean cutOff;
        private volatile boolean stopped;

        Node(int replicaId, long incarnation, Host host) {
            this.replicaId = replicaId;
            this.incarnation = incarnation;
            this.host = host;
            this.application = host.application();
            this.next = application.recoveredPosition() + 1;
            this.own = new OwnProposals(replicaId, incarnation, streamCount);
            this.executor = new Thread(this::run, "executor-" + replicaId);
            this.executor.setDaemon(true);
        }

        @Override
        public Set<Integer> linkedPeers() {
            synchronized (monitor) {
                Set<Integer> linked = new TreeSet<>(nodes.keySet());
                linked.removeIf(id -> id == replicaId || nodes.get(id).stopped || nodes.get(id).cutOff);
                return linked;
            }
        }

        private void run() {
            try {
                while (awaitWork()) {
                    executeBatch();
                }
            } catch (MalformedMessageException | RuntimeException e) {
                application.executionFailed();
                host.failureHandler().failed("execution failed: " + e.getMessage(), e);
                stopped = true;
            }
        }

        /** Cut off, or neither a member nor configured. */
        private boolean isAway() {
            Node leading = nodes.get(leader);
            Ensemble fed = leading == null ? null : leading.ensemble;
            boolean known =
                    membership == null || membership.contains(replicaId) || fed != null && fed.contains(replicaId);
            return cutOff || !known;
        }

        private boolean awaitWork() {
            synchronized (monitor) {
                while (!stopped && !closed && (isAway() || lagsBehind() || (next > log.size() && barriers.isEmpty()))) {
                    awaitChange();
                }
                while (!held.isEmpty() && !isAway()) {
                    pending.add(held.poll());
                    monitor.notifyAll();
                }
                return !stopped && !closed;
            }
        }

        /** Asks for the state, as often as anything changes. */
        private boolean lagsBehind() {
            if (next >= firstKept || leader == replicaId || !nodes.containsKey(leader)) {
                return next < firstKept;
            }
            application.stateNeeded(leader, next);
            return true;
        }

        private void executeBatch() throws MalformedMessageException {
            while (true) {
                ByteSlice value;
                synchronized (monitor) {
                    if (next > log.size() || stopped || isAway()) {
                        break;
                    }
                    value = log.get((int) next - 1);
                }
                application.positionBegins(next);
                if (BatchCodec.isMembership(value)) {
                    application.membershipChanged(next, BatchCodec.decodeMembership(value));
                } else {
                    for (ProposedCommand command : BatchCodec.decode(value)) {
                        execute(command);
                    }
                }
                application.positionApplied(next);
                synchronized (monitor) {
                    next++;
                    monitor.notifyAll();
                }
                answerBarriers();
            }
            answerBarriers();
            application.batchEnd();
        }

        private void execute(ProposedCommand command) {
            Verdict verdict = application.proposerTable().advance(command);
            Proposal proposal = null;
            if (own.contain(command)) {
                synchronized (monitor) {
                    proposal = own.remove(command);
                    monitor.notifyAll();
                }
            }
            if (verdict == Verdict.APPLY) {
                application.apply(next, command, proposal);
            }
        }

        private void answerBarriers() {
            List<TotalOrder.ReadWaiter> reached;
            synchronized (monitor) {
                reached = isAway() ? List.of() : barriers.takeBelow(next);
            }
            reached.forEach(TotalOrder.ReadWaiter::barrierReached);
        }

        @Override
        public boolean propose(Proposal proposal) {
            return room.await(proposal) && take(proposal, true);
        }

        @Override
        public boolean offer(Proposal proposal) {
            return room.isThereFor(proposal) && take(proposal, false);
        }

        private boolean take(Proposal proposal, boolean mayWait) {
            synchronized (monitor) {
                while (mayWait && own.areMany() && !stopped) {
                    awaitChange();
                }
                requireRunning();
                monitor.notifyAll();
                return proposal.enter(() -> (isAway() ? held : pending).add(own.number(proposal)));
            }
        }

        @Override
        public void readBarrier(ReadWaiter waiter) {
            synchronized (monitor) {
                requireRunning();
                barriers.add(log.size(), waiter);
                monitor.notifyAll();
            }
        }

        private void requireRunning() {
            if (stopped || closed) {
                throw new ReplicaStoppedException("stopped");
            }
        }

        @Override
        public OrderingStatus status() {
            return locked(this::statusLocked);
        }

        private OrderingStatus statusLocked() {
            if (isAway() || !nodes.containsKey(leader)) {
                return new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, epoch);
            }
            if (membership != null && !membership.contains(replicaId)) {
                return new OrderingStatus(Role.OBSERVER, leader, epoch);
            }
            return new OrderingStatus(leader == replicaId ? Role.LEADER : Role.FOLLOWER, leader, epoch);
        }

        @Override
        public Map<String, Long> gauges() {
            return room.gauges(next - 1);
        }

        @Override
        public int streamCount() {
            return streamCount;
        }

        @Override
        public void configure(Ensemble configured, Map<Integer, PeerAddress> linked) {
            synchronized (monitor) {
                ensemble = configured;
                addresses = linked;
                tellStatus();
            }
        }

        @Override
        public void checkpointTaken(long position) {
            checkpointPosition = position;
        }

        @Override
        public void leave() {
            synchronized (monitor) {
                if (leader == replicaId && another() != OrderingStatus.NO_LEADER) {
                    electLocked(another());
                }
            }
        }

        private int another() {
            return nodes.keySet().stream()
                    .filter(id -> id != replicaId && (membership == null || membership.contains(id)))
                    .findFirst()
                    .orElse(OrderingStatus.NO_LEADER);
        }

        @Override
        public StateChannel openStateChannel(int peer) throws IOException {
            Node asked = locked(() -> nodes.get(peer));
            if (asked == null || asked.stopped) {
                throw new IOException("server " + peer + " is down");
            }
            return new AnsweringChannel(asked.host.stateOffer(), replicaId);
        }

        @Override
        public TotalOrder totalOrder() {
            return this;
        }

        @Override
        public void close() {
            synchronized (monitor) {
                stopped = true;
                nodes.remove(replicaId, this);
                if (leader == replicaId) {
                    electLocked(another());
                }
                monitor.notifyAll();
            }
            try {
                executor.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
