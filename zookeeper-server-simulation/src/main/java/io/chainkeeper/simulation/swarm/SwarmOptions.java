package io.chainkeeper.simulation.swarm;

import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.replica.ReplicaLimits;
import io.chainkeeper.simulation.host.HostSettings;
import io.chainkeeper.simulation.link.LinkOptions;
import java.util.List;
import java.util.Map;

/**
 * What one run is like. Each run draws which faults there are and how often, because a run with all faults at once
 * hides what a run with only some of them finds.
 *
 * @param replicas how many there may ever be, those included that are configured only later
 * @param ensemble configured at first
 * @param late configured, but started only later: within the phase with faults, or as {@code FoundingFaults} draws it
 * @param minQuorumSize as the settings have it
 * @param settings the protocol's; see {@link #settingsOf}
 * @param safetyMicros length of the phase with faults
 * @param sessions number of clients
 * @param keys number of registers
 * @param maxOutstanding of one session
 * @param maxThinkMicros between two operations of a session
 * @param maxOperations of all sessions together
 * @param readPercent of operations
 * @param conditionalPercent of writes
 * @param sessionMovePercent chance, per operation, that the session turns to another replica
 * @param maxNetworkMicros longest way of a frame
 * @param maxSyncMicros longest fsync; 0 for disks that force at once
 * @param maxHandOverMicros until a thread of a replica notices what another has left it
 * @param maxExecutionMicros until the apply thread gets round to what was delivered
 * @param maxNoticeMicros until one end of a connection notices that it is up or down
 * @param maxCutDetectionMicros until a connection with a cut direction breaks
 * @param clockSkewPercent by how much a replica's ticks may be shorter or longer
 * @param checkpointEveryPositions 0 for never
 * @param maxCheckpoints kept by each replica
 * @param linkChoice see {@link HostSettings.LinkChoice}
 * @param faultIntervalMicros mean time between faults of each kind; kinds that are absent do not happen
 * @param logSettings bounds of the acceptor logs
 * @param clocksAreSetBack whether the clock of a replica that loses its disk may be set back, behind all its starts
 * @param limits of the queues of each replica
 * @param links how the product's links behave; null for links of the simulator
 * @param upgrades which releases there are
 * @param sharedDisks disks that all replicas share
 * @param servers what stands in the configuration of whole servers
 */
public record SwarmOptions(
        int replicas,
        Ensemble ensemble,
        List<Integer> late,
        int minQuorumSize,
        Map<String, String> settings,
        long safetyMicros,
        int sessions,
        int keys,
        int maxOutstanding,
        long maxThinkMicros,
        int maxOperations,
        int readPercent,
        int conditionalPercent,
        int sessionMovePercent,
        long maxNetworkMicros,
        long maxSyncMicros,
        long maxHandOverMicros,
        long maxExecutionMicros,
        long maxNoticeMicros,
        long maxCutDetectionMicros,
        int clockSkewPercent,
        int checkpointEveryPositions,
        int maxCheckpoints,
        HostSettings.LinkChoice linkChoice,
        Map<Fault, Long> faultIntervalMicros,
        AcceptorLogSettings logSettings,
        boolean clocksAreSetBack,
        ReplicaLimits limits,
        LinkOptions links,
        Upgrades upgrades,
        SharedDiskOptions sharedDisks,
        ServerOptions servers) {
    /** What can go wrong. */
    public enum Fault {
        /** A replica crashes and comes back later. */
        CRASH,
        /** A replica crashes shortly after anybody's view of the leader has changed, and is soon back. */
        CRASH_AT_CHANGE,
        /** All replicas crash at once. */
        CRASH_ALL,
        /** A replica stands still while the others go on. */
        PAUSE,
        /** A pair cannot reach each other, in one or both directions. */
        CUT,
        /** A replica is cut off from all others, in one or both directions. */
        ISOLATE,
        /** A connection breaks and is made anew. */
        BREAK,
        /** A replica's disk becomes slow. */
        SLOW_DISK,
        /** One direction of a pair becomes slow. */
        SLOW_LINK,
        /** A replica is down for so long that the logs of others no longer reach back to where it was. */
        DOWN_LONG,
        /** A replica crashes and comes back with an empty disk. */
        LOSE_DISK,
        /** An operator changes the configured ensemble. */
        RECONFIGURE,
        /** A group is cut off from the others, in one or both directions; each link heals in its own time. */
        PARTITION,
        /**
         * A minority is cut off until the others' logs no longer reach back to where it was; then one of it is let back
         * in, and for a while the rest of the minority reaches nobody else.
         */
        LEAVE_BEHIND,
        /**
         * Who reaches whom changes, and at that moment some replicas crash and some of these lose their disks: from the
         * first start on, and replicas start one by one. See {@code FoundingFaults}.
         */
        REGROUP,
        /** Any directed pairs cannot reach each other; they heal in parts, in any order. See {@code Splits}. */
        SPLIT,
        /**
         * A leader is deposed without noticing it, and meets a replica that has forgotten that it is. See {@code
         * DeposedFaults}.
         */
        DEPOSE,
        /** Servers crash and never come back, as many as the others can do without. See {@code GoneFaults}. */
        DOWN_FOR_GOOD,
        /** A replica stands still for seconds. */
        STALL,
        /** A replica's clock runs faster or slower from now on. */
        DRIFT,
        /** A replica crashes, and its wall clock is far ahead, or behind all its starts, when it comes back. */
        CLOCK_JUMP,
        /** A force of a replica's disk fails: it stops, and starts again later. */
        FAIL_FORCE,
        /** A replica's disk is full for a while: it stops when it needs more room, and starts again later. */
        FULL_DISK,
        /** Bits of an old segment of a log change; a replica that finds its log damaged gets a new disk. */
        ROT,
        /** Something happens when a message of a certain kind leaves. See {@code AmbushFaults}. */
        AMBUSH,
        /** Who reaches whom changes as a whole: mostly a majority is left together, often without a leader. */
        SHUFFLE,
        /** Disks hang while checkpoints are written, then their replicas crash. */
        HANG,
        /** An operator gives a list of participants and observers that need not resemble the former one. */
        NEW_LIST,
        /** A candidate holds the promise of a disk that is lost, and replaced meanwhile. See {@code ReplacedFaults}. */
        REPLACE,
        /** The next replica that gets a promise is soon cut off, while all others reach each other. */
        USURP,
        /** A server stops and comes back with this release. */
        UPGRADE,
        /** A server stops and comes back with the release before. */
        GO_BACK,
        /** An operator asks a server for the newest feature level. */
        ASK_FOR_LEVEL,
        /** A leader is cut off, and something goes wrong when others finish its work. See {@code TakeoverFaults}. */
        TAKE_OVER,
        /** Disks hang when replicas record their epoch, before they crash. See {@code EpochFaults}. */
        FORGET_EPOCH,
        /** A server is started with the directory of another one, which it refuses. */
        WRONG_DIRECTORY,
        /** All are upgraded; a server goes back when a higher level is proposed. See {@code RiseFaults}. */
        GO_BACK_BEFORE_RISE,
        /** All are upgraded; servers crash, and some go back, when the rise is decided. See {@code RiseFaults}. */
        GO_BACK_AT_RISE,
        /** A shared disk does not answer for a while. */
        SHARED_DISK_DIES,
        /** A shared disk is lost, and replaced by an empty one, which is filled later. */
        SHARED_DISK_LOST,
        /** A shared disk does not answer one server for a while. */
        SHARED_DISK_CUT,
        /** The way of a server to the shared disks becomes long. */
        SHARED_DISKS_SLOW,
        /** Of what servers have written to shared disks and not forced, something arrives. */
        LATE_WRITES,
        /** A server that leads, or is about to, stands still soon after it has asked a shared disk for something. */
        STALL_AT_DISK,
        /** A server is started with the directory of another cluster. See {@code StrangerFaults}. */
        OTHER_CLUSTER,
        /** The own disk of a replica gives no answer for longer than any timeout. See {@code HangFaults}. */
        DISK_HANGS,
        /** Own disks of servers never answer again, as many as the others can do without. See {@code GoneFaults}. */
        HANGS_FOR_GOOD,
        /** Shared disks give no answer for longer than any timeout, to one server or to all. See {@code HangFaults}. */
        SHARED_DISKS_HANG,
        /** A disk of another cluster is found in the place of a shared disk for a while. */
        SHARED_DISK_EXCHANGED,
        /** A checkpoint is ahead of a log that holds values which were never decided. See {@code OverwrittenFaults}. */
        OVERWRITE,
        /** A membership was proposed on top of values that are lost. See {@code OverhangFaults}. */
        OVERHANG,
        /** An observer takes few for a quorum. See {@code FewListedFaults}. */
        FEW_LISTED,
        /** A start goes on from a checkpoint before a hole in its log. See {@code HoleFaults}. */
        HOLE,
        /** An operator stops servers in an orderly way, and starts them again. See {@code LeaveFaults}. */
        LEAVE,
        /** All disks but one are lost, and an operator has that server go on alone. See {@code SurvivorFaults}. */
        GO_ON_ALONE,
        /** A shared disk never answers anybody again, a minority at most. See {@code GoneFaults}. */
        SHARED_DISK_GONE,
        /** A server starts again and again, and finds other shared disks each time. See {@code OtherDisksFaults}. */
        OTHER_DISKS,
        /**
         * A leader is gone for good, and so is whoever has finished its segment; observers start only then. See {@code
         * GoneFaults}.
         */
        GONE_UNSEEN,
        /** Who is let back in has begun to read its log while it was left behind. See {@code BehindFaults}. */
        READ_LATE,
        /** A joiner crashes before its disk has recorded what it is. See {@code UnrecordedFaults}. */
        JOIN_UNRECORDED,
        /** A founder crashes before its disk has recorded what it is. See {@code UnrecordedFaults}. */
        FOUND_UNRECORDED,
        /** A leader stands still in the middle of a write to shared disks. See {@code DeposedAtDiskFaults}. */
        DEPOSED_AT_DISK,
        /** For seconds disks of all servers, or of some, take as long as timeouts. See {@code BrownoutFaults}. */
        BROWNOUT,
        /**
         * Disks of servers that lead, or stand, take as long as timeouts for ever, of as many as the others can do
         * without. See {@code GoneFaults}.
         */
        SLOW_FOR_GOOD,
        /** What is read of a log for a laggard is no longer so when it is here. See {@code OvertakenReadFaults}. */
        READ_OVERTAKEN,
        /** A joiner stands before it knows who votes on its admission. See {@code JoinerFaults}. */
        JOINER_STANDS,
        /** A ring on shared disks goes round while it is read. See {@code RingGoesRoundFaults}. */
        RING_GOES_ROUND,
        /** A log holds a leader's own value where a checkpoint rests on another one. See {@code ForgottenFaults}. */
        FORGET_DECISION,
        /** Of a takeover, a disk keeps only that the first position stays empty. See {@code HalfTakenFaults}. */
        HALF_TAKE_OVER
    }

    static final String MIN_QUORUM_SIZE = "QuorumSize";

    /** The same over other links. */
    SwarmOptions over(LinkOptions other) {
        return with(minQuorumSize, other, upgrades, sharedDisks, limits, servers);
    }

    /** Whether servers are started with the directory of another cluster. */
    public boolean hasStrangers() {
        return faultIntervalMicros.containsKey(Fault.OTHER_CLUSTER);
    }

    /** Those of another cluster of the same servers: over links of the simulator. */
    public SwarmOptions ofAnotherCluster() {
        return with(minQuorumSize, null, Upgrades.NONE, sharedDisks, limits, servers);
    }

    /** The same with other releases. */
    SwarmOptions with(Upgrades changed) {
        return with(minQuorumSize, links, changed, sharedDisks, limits, servers);
    }

    /** The same with disks that all share. */
    SwarmOptions with(SharedDiskOptions disks) {
        return with(minQuorumSize, links, upgrades, disks, limits, servers);
    }

    /** The same with other bounds of each replica's queues. */
    SwarmOptions with(ReplicaLimits changed) {
        return with(minQuorumSize, links, upgrades, sharedDisks, changed, servers);
    }

    /** Whether servers have so little room for what is proposed that their threads wait for it. */
    public boolean hasLittleRoom() {
        return limits.maxOutstandingBytes() < ReplicaLimits.DEFAULT.maxOutstandingBytes();
    }

    /** The same with another configuration of whole servers. */
    SwarmOptions with(ServerOptions changed) {
        return with(minQuorumSize, links, upgrades, sharedDisks, limits, changed);
    }

    /** The same where any majority is a quorum, and nobody is removed for being silent. */
    SwarmOptions withoutLeastQuorum() {
        settings.keySet().removeIf(key -> key.endsWith(MIN_QUORUM_SIZE));
        return with(minQuorumSize(settings), links, upgrades, sharedDisks, limits, servers);
    }

    /** The same with a phase with faults of another length. */
    SwarmOptions lasting(long micros) {
        return with(logSettings, micros, minQuorumSize, links, upgrades, sharedDisks, limits, servers);
    }

    /** The same with acceptor logs of other bounds. */
    SwarmOptions with(AcceptorLogSettings ofLogs) {
        return with(ofLogs, safetyMicros, minQuorumSize, links, upgrades, sharedDisks, limits, servers);
    }

    private SwarmOptions with(
            int leastQuorum,
            LinkOptions other,
            Upgrades changed,
            SharedDiskOptions disks,
            ReplicaLimits bounds,
            ServerOptions configured) {
        return with(logSettings, safetyMicros, leastQuorum, other, changed, disks, bounds, configured);
    }

    private SwarmOptions with(
            AcceptorLogSettings ofLogs,
            long safety,
            int leastQuorum,
            LinkOptions other,
            Upgrades changed,
            SharedDiskOptions disks,
            ReplicaLimits bounds,
            ServerOptions configured) {
        return new SwarmOptions(
                replicas,
                ensemble,
                late,
                leastQuorum,
                settings,
                safety,
                sessions,
                keys,
                maxOutstanding,
                maxThinkMicros,
                maxOperations,
                readPercent,
                conditionalPercent,
                sessionMovePercent,
                maxNetworkMicros,
                maxSyncMicros,
                maxHandOverMicros,
                maxExecutionMicros,
                maxNoticeMicros,
                maxCutDetectionMicros,
                clockSkewPercent,
                checkpointEveryPositions,
                maxCheckpoints,
                linkChoice,
                faultIntervalMicros,
                ofLogs,
                clocksAreSetBack,
                bounds,
                other,
                changed,
                disks,
                configured);
    }

    /**
     * What a replica finds in its zoo.cfg.
     *
     * @param id its id
     * @return the protocol's settings
     */
    public Map<String, String> settingsOf(int id) {
        return ProtocolSettings.ofReplica(settings, id);
    }

    /** How long a write may wait for replicas whose settings differ, at most; 0 if they do not. */
    public long ringMicros() {
        return ProtocolSettings.ringMicros(settings);
    }

    /** How long a write may wait for a leader whose disk hangs, at most, before somebody takes over. */
    public long idleLeaderMicros() {
        return ProtocolSettings.idleLeaderMicros(settings);
    }

    /**
     * How long a write may wait, at most, because it is the turn of leaders that are gone for good; 0 where they lead
     * no more once they are missed.
     */
    public long goneLeadersMicros() {
        boolean hang = faultIntervalMicros.containsKey(Fault.HANGS_FOR_GOOD);
        boolean mayBe = hang
                || faultIntervalMicros.containsKey(Fault.DOWN_FOR_GOOD)
                || faultIntervalMicros.containsKey(Fault.GONE_UNSEEN);
        int mostGone = (replicas - 1) / 2;
        long eachMicros = hang ? idleLeaderMicros() : idleLeaderMicros() / 2;
        return mayBe && ProtocolSettings.letGoneLead(settings) ? mostGone * eachMicros : 0;
    }

    /** The longest time for which the protocol lets a leader be silent before others try to lead. */
    public long suspicionMicros() {
        return ProtocolSettings.suspicionMicros(settings);
    }

    /** Whether disks stay so slow for good that what waits for them may take longer than other runs last. */
    public boolean staysSlow() {
        return faultIntervalMicros.containsKey(Fault.SLOW_FOR_GOOD);
    }

    /** How long a leader waits for a member, at most, before it says that it is silent. */
    public long memberSilenceMicros() {
        return ProtocolSettings.memberSilenceMicros(settings);
    }

    /** The least quorum that settings ask for, 1 if they ask for none. */
    static int minQuorumSize(Map<String, String> settings) {
        return settings.entrySet().stream()
                .filter(setting -> setting.getKey().endsWith(MIN_QUORUM_SIZE))
                .mapToInt(setting -> Integer.parseInt(setting.getValue()))
                .findAny()
                .orElse(1);
    }

    /** Whether the settings let a protocol remove members by itself. */
    public boolean mayRemoveSilent() {
        return settings.keySet().stream().anyMatch(key -> key.endsWith(MIN_QUORUM_SIZE));
    }
}
