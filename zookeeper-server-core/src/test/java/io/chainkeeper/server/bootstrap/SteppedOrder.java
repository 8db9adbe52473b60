package io.chainkeeper.server.bootstrap;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.ProposerTable.Verdict;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.replica.Work;
import io.chainkeeper.replica.Worker;
import io.chainkeeper.server.transfer.StateOffer;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** An order that several servers execute piece by piece. Replica 1 leads; what is proposed is ordered at once. */
final class SteppedOrder {
    private static final long LAGGING_NANOS = 100_000_000;

    private final List<ByteSlice> log = new ArrayList<>();
    private final Map<Integer, Node> nodes = new TreeMap<>();
    private long incarnations;
    private long firstKept = 1;

    /** How many calls of a state's transfer succeed before the channel breaks; never negative. */
    int callsBeforeBreak = Integer.MAX_VALUE;

    /** Calls of all transfers. */
    int calls;

    OrderingFactory factory(int replicaId, Scheduler scheduler) {
        return new OrderingFactory() {
            @Override
            public RunningOrder start(Application application, StateOffer offer, FailureHandler failureHandler) {
                Node node = new Node(replicaId, application, offer, scheduler);
                nodes.put(replicaId, node);
                node.worker.start();
                application.statusChanged(node.status());
                return node;
            }
        };
    }

    void append(ProposedCommand... commands) {
        log.add(BatchCodec.encode(List.of(commands)));
        nodes.values().forEach(node -> node.worker.wake());
    }

    /** Forgets old positions: who needs one of them needs the state of another member. */
    void truncate() {
        firstKept = log.size() + 1L;
    }

    void crash(int replicaId) {
        nodes.remove(replicaId);
    }

    long lastPosition() {
        return log.size();
    }

    private final class Node implements TotalOrder, OrderingFactory.RunningOrder {
        private final int replicaId;
        private final long incarnation = ++incarnations;
        private final Application application;
        private final StateOffer offer;
        private final Worker worker;
        private final Map<Long, Proposal> own = new HashMap<>();
        private final List<ReadWaiter> waiters = new ArrayList<>();
        private long sequence;
        private long next;
        private boolean closed;

        private Node(int replicaId, Application application, StateOffer offer, Scheduler scheduler) {
            this.replicaId = replicaId;
            this.application = application;
            this.offer = offer;
            this.next = application.recoveredPosition() + 1;
            this.worker = scheduler.worker("executor-" + replicaId, this::piece);
        }

        private long piece() {
            if (closed) {
                return Work.NEVER;
            }
            if (next < firstKept) {
                application.stateNeeded(replicaId == 1 ? 2 : 1, next);
                return LAGGING_NANOS;
            }
            application.batchBegin();
            if (next <= log.size()) {
                execute();
            }
            boolean caughtUp = next > log.size();
            if (caughtUp) {
                waiters.forEach(ReadWaiter::barrierReached);
                waiters.clear();
            }
            application.batchEnd();
            return caughtUp ? Work.WHEN_WOKEN : Work.AT_ONCE;
        }

        private void execute() {
            application.positionBegins(next);
            try {
                for (ProposedCommand command : BatchCodec.decode(log.get((int) next - 1))) {
                    boolean mine = command.proposer() == replicaId && command.incarnation() == incarnation;
                    Proposal proposal = mine ? own.remove(command.sequence()) : null;
                    if (application.proposerTable().advance(command) == Verdict.APPLY) {
                        application.apply(next, command, proposal);
                    }
                }
            } catch (MalformedMessageException e) {
                throw new IllegalStateException(e);
            }
            application.positionApplied(next);
            next++;
        }

        @Override
        public boolean propose(Proposal proposal) {
            return proposal.enter(() -> place(proposal));
        }

        @Override
        public boolean offer(Proposal proposal) {
            return propose(proposal);
        }

        private void place(Proposal proposal) {
            own.put(++sequence, proposal);
            append(new ProposedCommand(replicaId, incarnation, proposal.stream(), sequence, proposal.command()));
        }

        @Override
        public void readBarrier(ReadWaiter waiter) {
            waiters.add(waiter);
            worker.wake();
        }

        @Override
        public OrderingStatus status() {
            return new OrderingStatus(replicaId == 1 ? Role.LEADER : Role.FOLLOWER, 1, 1);
        }

        @Override
        public Map<String, Long> gauges() {
            return Map.of();
        }

        @Override
        public Set<Integer> linkedPeers() {
            return nodes.keySet();
        }

        @Override
        public int streamCount() {
            return 1;
        }

        @Override
        public void checkpointTaken(long position) {}

        @Override
        public void configure(Ensemble ensemble, Map<Integer, PeerAddress> addresses) {}

        @Override
        public TotalOrder totalOrder() {
            return this;
        }

        @Override
        public StateChannel openStateChannel(int peer) throws IOException {
            if (!nodes.containsKey(peer)) {
                throw new IOException("server " + peer + " is down");
            }
            return new Channel(replicaId, peer);
        }

        @Override
        public void close() {
            closed = true;
            worker.wake();
        }
    }

    private final class Channel implements StateChannel {
        private final int from;
        private final int to;

        private Channel(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public ByteSlice call(ByteSlice request) throws IOException {
            calls++;
            Node asked = nodes.get(to);
            if (asked == null || callsBeforeBreak-- <= 0) {
                callsBeforeBreak = Integer.MAX_VALUE;
                throw new IOException("the connection broke");
            }
            return asked.offer.answer(from, request, () -> ByteSlice.EMPTY);
        }

        @Override
        public void close() {}
    }
}
