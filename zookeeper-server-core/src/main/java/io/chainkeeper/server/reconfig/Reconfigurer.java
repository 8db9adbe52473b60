package io.chainkeeper.server.reconfig;

import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.server.proposal.PatientProposer;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.EnsemblePlan;
import io.chainkeeper.server.state.ReconfigRule;
import io.chainkeeper.server.state.ReplicatedState;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out a {@code reconfig} at the replica that accepted it: has its names looked up, orders a plan, waits until
 * the order's members are in line with it, then orders the request. One at a time. Used by the maintenance thread
 * only.
 */
public final class Reconfigurer {
    private static final Logger LOG = LoggerFactory.getLogger(Reconfigurer.class);

    private enum Phase {
        IDLE,
        /** Names are looked up; nothing is proposed. */
        LOOKING_UP,
        /** The plan is proposed. */
        PLANNING,
        /** The plan stands; the order admits and removes members. */
        ALIGNING,
        /** The end of the plan is proposed. */
        DROPPING
    }

    private final ReplicatedState state;
    private final ReconfigPlanner planner;
    private final PatientProposer proposer;
    private final LongSupplier clockMillis;
    private final LongSupplier wallClockMillis;
    private final long patienceMillis;
    private final LongSupplier transferredBytes;
    private Phase phase = Phase.IDLE;
    private PendingReconfig pending;
    private ReconfigPlanner.Wanted wanted;
    private boolean lookingUp;
    private long askedMillis;
    private Membership seen;
    private long changedMillis;
    private long seenBytes;
    private long progressProposedMillis;

    /**
     * @param state the replicated state
     * @param planner checks requests
     * @param proposer the way into the order
     * @param clockMillis a monotonic clock
     * @param wallClockMillis stamped on proposals
     * @param patienceMillis how long names may be looked up; then, how long a plan may stand without any change of
     *     members and without state being transferred
     * @param transferredBytes grows while this replica sends or receives state
     */
    public Reconfigurer(
            ReplicatedState state,
            ReconfigPlanner planner,
            PatientProposer proposer,
            LongSupplier clockMillis,
            LongSupplier wallClockMillis,
            long patienceMillis,
            LongSupplier transferredBytes) {
        this.state = state;
        this.planner = planner;
        this.proposer = proposer;
        this.clockMillis = clockMillis;
        this.wallClockMillis = wallClockMillis;
        this.patienceMillis = patienceMillis;
        this.transferredBytes = transferredBytes;
    }

    /**
     * A client asks for another ensemble.
     *
     * @param asked its request, in its turn
     * @param aside looks names up; one that was given up counts as under way until its look-up has ended
     */
    public void start(PendingReconfig asked, Aside aside) {
        ReconfigPlanner.Wanted named;
        try {
            named = planner.wanted(asked.request(), phase != Phase.IDLE || lookingUp);
        } catch (KeeperException e) {
            sayRefused(asked, e);
            asked.refuse(e);
            return;
        }
        pending = asked;
        wanted = named;
        phase = Phase.LOOKING_UP;
        askedMillis = clockMillis.getAsLong();
        lookingUp = true;
        aside.run(named::draft, draft -> {
            lookingUp = !state.follows(ReconfigRule.ENDED_LOOK_UP_MAKES_ROOM);
            if (pending == asked) {
                plan(draft);
            }
        });
    }

    private void plan(ReconfigPlanner.Draft draft) {
        Request request = pending.request();
        EnsembleConfig next;
        try {
            next = planner.plan(request, wanted, draft);
        } catch (KeeperException e) {
            sayRefused(pending, e);
            refuse(e);
            return;
        }
        request.qv = draft.verifier();
        phase = Phase.PLANNING;
        proposer.propose(
                request.sessionId,
                new Command.PlanEnsemble(wallClockMillis.getAsLong(), request.sessionId, request.cxid, next.text()));
    }

    private static void sayRefused(PendingReconfig asked, KeeperException reason) {
        LOG.info("Refusing a reconfig of session 0x{}: {}", session(asked), reason.getMessage());
    }

    private static String session(PendingReconfig asked) {
        return Long.toHexString(asked.request().sessionId);
    }

    /**
     * A plan has been executed.
     *
     * @param plan whoever proposed it
     * @param accepted whether it stands
     */
    public void planExecuted(EnsemblePlan plan, boolean accepted) {
        if (phase != Phase.PLANNING || !isOurs(plan)) {
            return;
        }
        if (!accepted) {
            refuse(new KeeperException.ReconfigInProgress());
            return;
        }
        phase = Phase.ALIGNING;
        progressed();
        tick();
    }

    private boolean isOurs(EnsemblePlan plan) {
        return plan != null && plan.isOf(pending.request().sessionId, pending.request().cxid);
    }

    /** Some replica sees that the plan gets on. */
    public void progressed() {
        seen = state.membership();
        changedMillis = clockMillis.getAsLong();
    }

    /** Looks at the members. */
    public void tick() {
        tellProgress();
        if (phase == Phase.LOOKING_UP) {
            giveUpSlowNames();
        } else if (phase == Phase.ALIGNING) {
            align();
        } else if (phase == Phase.DROPPING && !isOurs(state.plan())) {
            refuse(new KeeperException.NewConfigNoQuorum());
        }
    }

    private void giveUpSlowNames() {
        if (clockMillis.getAsLong() - askedMillis >= patienceMillis) {
            LOG.warn(
                    "For {} ms the name service has not answered for the servers in {}, so the reconfig of session 0x{}"
                            + " is given up and nothing is changed. Check the names and this machine's name service",
                    patienceMillis,
                    wanted.text(),
                    session(pending));
            refuse(new KeeperException.NewConfigNoQuorum());
        }
    }

    private void align() {
        EnsemblePlan plan = state.plan();
        if (!isOurs(plan)) {
            refuse(new KeeperException.NewConfigNoQuorum());
            return;
        }
        Membership membership = state.membership();
        if (!Objects.equals(membership, seen)) {
            progressed();
        }
        if (pending.abandoned()) {
            LOG.info("The client of a reconfig is gone: dropping its plan");
            drop(plan);
        } else if (plan.reached(membership, state.configuration())) {
            orderOrDrop(plan);
        } else if (clockMillis.getAsLong() - changedMillis >= patienceMillis) {
            LOG.warn(
                    "For {} ms no member was admitted or removed and no state transferred, so the reconfig to {} is"
                            + " given up; members are {}. Check that the joining servers run and reach this ensemble",
                    patienceMillis,
                    plan.configuration().participants(),
                    membership == null ? state.configuration().participants() : membership.replicaIds());
            drop(plan);
        }
    }

    private void orderOrDrop(EnsemblePlan plan) {
        PendingReconfig.Outcome outcome = pending.order();
        if (outcome == PendingReconfig.Outcome.NO_ROOM) {
            // The next tick finds the plan as it is, or the client gone.
            return;
        }
        pending = null;
        phase = Phase.IDLE;
        if (outcome == PendingReconfig.Outcome.NEVER) {
            LOG.info("The client of a reconfig is gone: dropping its plan");
            proposeDrop(plan);
        }
    }

    private void drop(EnsemblePlan plan) {
        phase = Phase.DROPPING;
        proposeDrop(plan);
    }

    private void proposeDrop(EnsemblePlan plan) {
        proposer.propose(
                plan.sessionId(), new Command.DropPlan(wallClockMillis.getAsLong(), plan.sessionId(), plan.cxid()));
    }

    private void refuse(KeeperException error) {
        PendingReconfig refused = pending;
        pending = null;
        phase = Phase.IDLE;
        refused.refuse(error);
    }

    /** The proposer of a plan cannot see a transfer between two others. */
    private void tellProgress() {
        EnsemblePlan plan = state.plan();
        long now = clockMillis.getAsLong();
        if (plan == null || now - progressProposedMillis < patienceMillis / 4) {
            return;
        }
        long bytes = transferredBytes.getAsLong();
        if (bytes != seenBytes) {
            seenBytes = bytes;
            progressProposedMillis = now;
            proposer.propose(
                    plan.sessionId(),
                    new Command.PlanProgress(wallClockMillis.getAsLong(), plan.sessionId(), plan.cxid()));
        }
    }
}
