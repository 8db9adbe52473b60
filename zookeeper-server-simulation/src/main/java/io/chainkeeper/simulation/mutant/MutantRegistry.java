package io.chainkeeper.simulation.mutant;

import static io.chainkeeper.simulation.swarm.SimulatedApplication.AMBUSH;
import static io.chainkeeper.simulation.swarm.SimulatedApplication.BEHIND;
import static io.chainkeeper.simulation.swarm.SimulatedApplication.DEPOSED;
import static io.chainkeeper.simulation.swarm.SimulatedApplication.FOUNDING;
import static io.chainkeeper.simulation.swarm.SimulatedApplication.MEMBERS;
import static io.chainkeeper.simulation.swarm.SimulatedApplication.MINORITY;
import static io.chainkeeper.simulation.swarm.SimulatedApplication.OUTDATED;
import static io.chainkeeper.simulation.swarm.SimulatedApplication.RECONFIG;
import static io.chainkeeper.simulation.swarm.SimulatedApplication.REGISTERS;
import static io.chainkeeper.simulation.swarm.SimulatedApplication.TAKEOVER;
import static io.chainkeeper.simulation.swarm.SimulatedApplication.UPGRADE;
import static io.chainkeeper.simulation.swarm.SimulatedApplication.ZNODES;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * All rules of protocols, hosts, and the contract between them, each with what it says and the application under which
 * its loss is found soonest. A rule that some protocol names and that is not here is an error.
 */
public final class MutantRegistry {
    private record Entry(
            String rule,
            SimulatedApplication chain,
            SimulatedApplication iss,
            SimulatedApplication disk,
            String statement) {
        SimulatedApplication application(OrderingProtocolFactory protocol) {
            SimulatedApplication chosen = switch (protocol.name()) {
                case "iss" -> iss;
                case "disk" -> disk;
                default -> chain;
            };
            return chosen.concerns(protocol) ? chosen : REGISTERS;
        }
    }

    private static Entry entry(Enum<?> rule, SimulatedApplication application, String statement) {
        return entry(rule.name(), application, statement);
    }

    private static Entry entry(String rule, SimulatedApplication application, String statement) {
        return new Entry(rule, application, application, application, statement);
    }

    private static final List<Entry> OF_THE_CONTRACT = List.of(
            entry(ContractRule.READ_WAITS_FOR_ITS_BARRIER, REGISTERS, "a read waits for its barrier"),
            entry(
                    ContractRule.PROMISE_LEAVES_BEHIND_ITS_RECORD,
                    REGISTERS,
                    "a promise leaves, and an acceptance counts, only when its record is durable"),
            entry(
                    ContractRule.PROMISE_RESTS_ON_ITS_OWN_RECORD,
                    REGISTERS,
                    "the record that a promise rests on is that of the promise"
                            + " ([023](decisions/023-promises-rest-on-records-of-this-start.md))"),
            entry(ContractRule.PROMISES_ARE_REMEMBERED, REGISTERS, "a start knows what was promised before it"),
            entry(ContractRule.VALUES_ARE_REMEMBERED, REGISTERS, "a start knows what was accepted before it"),
            entry(
                    ContractRule.LOG_HOLDS_WHAT_WAS_WRITTEN,
                    REGISTERS,
                    "the log gives back what was written; the hash of the prefix tells"
                            + " ([024](decisions/024-hash-of-the-prefix.md))"),
            entry(ContractRule.EVERY_COMMAND_IS_ORDERED, REGISTERS, "every command is ordered in the end"),
            entry(
                    ContractRule.STATE_COMES_WITH_ITS_PROMISE,
                    DEPOSED,
                    "a state comes with what its sender has promised"
                            + " ([027](decisions/027-promises-under-a-state.md))"));

    private static final List<Entry> OF_THE_HOST = List.of(
            entry(
                    HostRule.FULL_QUEUE_IS_NOT_READ_FOR,
                    REGISTERS,
                    "a link is not read as long as what it brought fills the queue"),
            entry(
                    HostRule.WHAT_AN_INSTALLED_STATE_COVERS_IS_DISCARDED,
                    BEHIND,
                    "what a start finds in the log below an installed state is discarded"
                            + " ([021](decisions/021-discarded-positions.md))"),
            entry(
                    HostRule.SUPERSEDED_REPLICA_STARTS_ABOVE,
                    REGISTERS,
                    "a replica whose clock was set back across a lost disk starts above what the order holds of it"),
            entry(
                    HostRule.READS_WAIT_FOR_AN_OWN_COMMAND,
                    REGISTERS,
                    "where clocks are set back, a start reads only behind a command of its own"),
            entry(
                    HostRule.FILES_ARE_FORCED,
                    REGISTERS,
                    "files of the log are forced ([030](decisions/030-disks-in-the-simulator.md))"),
            entry(
                    HostRule.DIRECTORIES_ARE_FORCED,
                    REGISTERS,
                    "directories of the log are forced ([030](decisions/030-disks-in-the-simulator.md))"),
            entry(
                    HostRule.FIRST_SNAPSHOT_IS_FORCED,
                    ZNODES,
                    "the snapshot of a new directory is forced before anything rests on it"),
            entry(
                    HostRule.FETCHED_FILES_ARE_FORCED,
                    ZNODES,
                    "what is fetched of another member's state is forced before it counts as fetched"),
            entry(HostRule.COMMAND_IS_APPLIED_ONCE, AMBUSH, "a command that stands in the order twice is applied once"),
            new Entry(
                    HostRule.STREAM_IS_APPLIED_IN_ORDER.name(),
                    AMBUSH,
                    OUTDATED,
                    OUTDATED,
                    "a command is applied only when all earlier ones of its stream are"),
            entry(
                    HostRule.STATE_IS_WRITTEN_WHEN_ASKED_FOR,
                    OUTDATED,
                    "who is asked for its state, and has none on disk that is new enough, writes one"),
            entry(
                    HostRule.LEVEL_RISES_WHERE_ALL_KNOW_IT,
                    UPGRADE,
                    "a feature level comes into force only if all servers have said that they know it"
                            + " ([037](decisions/037-feature-levels.md))"),
            entry(
                    HostRule.UNKNOWN_LEVEL_STOPS,
                    UPGRADE,
                    "a server that does not know the feature level in force stops"),
            entry(
                    HostRule.LEVEL_IS_NOTED_BEFORE_EXECUTION,
                    UPGRADE,
                    "a directory notes a feature level before anything is executed in it"),
            entry(
                    HostRule.EXPIRY_IS_OF_THE_PRESENT_EPOCH,
                    ZNODES,
                    "a session does not expire if it has been attached or orphaned since that was proposed"),
            entry(
                    HostRule.EXPIRY_IS_OF_THE_PRESENT_OWNER,
                    ZNODES,
                    "a session does not expire if it has another owner than when that was proposed"),
            entry(
                    HostRule.CLOSED_CONNECTIONS_ORDER_NOTHING,
                    ZNODES,
                    "what waited for room is not ordered when its connection is closed by then"),
            entry(
                    HostRule.WHAT_A_RECONFIG_HELD_BACK_IS_TAKEN_UP,
                    RECONFIG,
                    "what a client asks for behind its `reconfig` is taken up when that is ordered or refused"),
            entry(
                    HostRule.ENDED_LOOK_UP_MAKES_ROOM,
                    RECONFIG,
                    "a server that has looked up the names of one `reconfig` takes the next one"),
            entry(
                    HostRule.SESSIONS_OF_THE_SILENT_ARE_ORPHANED,
                    ZNODES,
                    "when a member is silent its sessions become ownerless, so that others end them"),
            entry(
                    HostRule.OTHER_CLUSTERS_ARE_REFUSED,
                    REGISTERS,
                    "a server with the directory of another cluster gets no link"),
            entry(
                    HostRule.DISKS_OF_OTHER_CLUSTERS_ARE_REFUSED,
                    REGISTERS,
                    "a server uses no disk that says that it is another cluster's"));

    /** Rules of which each does the other's work, as far as a run can tell: they are taken out together, too. */
    private static final List<Entry> OF_PROTOCOLS_TOGETHER = List.of(entry(
            "ONE_CHANGE_OF_THE_MEMBERSHIP_AT_A_TIME+QUORUM_OF_LATER_MEMBERSHIPS",
            MEMBERS,
            "neither one change of the membership at a time, nor quorums of later memberships"));

    private static final List<Entry> OF_PROTOCOLS = List.of(
            entry(
                    "VALUE_OF_THIS_BALLOT_COUNTS",
                    DEPOSED,
                    "only values of the present ballot are acknowledged and decided"),
            entry(
                    "PROMISE_IS_DURABLE_BEFORE_DELIVERY",
                    DEPOSED,
                    "a replica executes in a ballot only when its disk keeps the promise of that ballot"
                            + " ([027](decisions/027-promises-under-a-state.md))"),
            entry(
                    "OVERWRITTEN_VALUE_IS_DURABLE_BEFORE_DELIVERY",
                    OUTDATED,
                    "where a value of an older ballot is overwritten, a replica executes only what its disk holds"),
            entry(
                    "READ_ROUND_NEEDS_QUORUM",
                    DEPOSED,
                    "a read round is confirmed by a quorum of each membership in force"),
            entry(
                    "READ_REQUEST_SEEN_IN_ITS_BALLOT",
                    DEPOSED,
                    "a voter tells a reader that it has seen its request only while it has promised nothing above its"
                            + " ballot"),
            entry("READ_WAITS_FOR_READ_INDEX", REGISTERS, "a read is answered behind everything up to its read index"),
            entry("QUORUM_OF_PROMISES", REGISTERS, "a candidate needs promises of a quorum"),
            entry(
                    "QUORUM_OF_LATER_MEMBERSHIPS",
                    MEMBERS,
                    "and of a quorum of each later membership in force where it is going to propose"),
            entry("PROMISE_OF_THE_MEMBERS_DISK", MEMBERS, "a promise counts only if it is that of the member's disk"),
            new Entry(
                    "VALUE_OF_THE_HIGHEST_BALLOT",
                    AMBUSH,
                    TAKEOVER,
                    REGISTERS,
                    "a candidate takes the value of the highest ballot"),
            entry(
                    "VOID_MEMBERSHIP_IS_DROPPED",
                    OUTDATED,
                    "a membership that cannot have been decided is not taken up by a candidate"),
            entry(
                    "ONE_CHANGE_OF_THE_MEMBERSHIP_AT_A_TIME",
                    MEMBERS,
                    "the next change of the membership is proposed when the last one is decided"),
            entry(
                    "PROMISE_TELLS_ALL_THAT_THE_CANDIDATE_LACKS",
                    AMBUSH,
                    "a candidate that lacks what is no longer in memory is not answered with a promise"),
            entry(
                    "CANDIDATE_KNOWS_THE_MEMBERSHIP",
                    MEMBERS,
                    "who stands before it is a member knows from the order who votes there"),
            entry("ONLY_VOTERS_COUNT_QUORUMS", OUTDATED, "only a voter recognises a quorum"),
            entry(
                    "LEAVER_ACKNOWLEDGES_NOTHING_BEYOND",
                    MEMBERS,
                    "a replica that is about to leave the membership acknowledges nothing from there on"),
            entry("DECIDED_MEMBERSHIP_IS_RECORDED", REGISTERS, "that a membership is decided is recorded at once"),
            entry(
                    "LEARNER_TELLS_A_DURABLE_DISK",
                    MEMBERS,
                    "a replica asks to be admitted only under the number of a disk that a crash leaves it"),
            entry(
                    "RESTARTED_LEADER_IS_SILENT",
                    REGISTERS,
                    "a restarted leader does not use ballot 0 in the same epoch"),
            entry("QUORUM_OF_ANSWERS", REGISTERS, "a read needs answers of a quorum"),
            entry("CONTRADICTED_BALLOT_IS_GIVEN_UP", DEPOSED, "a contradicted ballot is given up"),
            entry(
                    "OVERTAKEN_LEADER_STOPS",
                    REGISTERS,
                    "a leader proposes nothing where others have finished its segment"),
            entry(
                    "WHAT_REFUSALS_TELL_IS_RECORDED",
                    REGISTERS,
                    "what a refusal tells of is recorded before it is promised"),
            entry("PROMISE_TELLS_WHAT_IS_DECIDED", TAKEOVER, "a promise tells decided positions too"),
            entry("NIL_OF_A_TAKEOVER_NEEDS_A_QUORUM", TAKEOVER, "nil of a takeover is decided by its quorum"),
            entry(
                    "DECIDED_IN_THE_SAME_BALLOT",
                    REGISTERS,
                    "what a proposer says to be decided is so with the value of the same ballot"),
            entry(
                    "NEXT_EPOCH_IS_HELD_BEFORE_DELIVERY",
                    TAKEOVER,
                    "the last position of an epoch is delivered when a quorum holds the next one's configuration"),
            entry(
                    "VALUE_IS_DURABLE_BEFORE_DELIVERY",
                    OUTDATED,
                    "a value is delivered only when its record is durable here"),
            entry(
                    "SKIPS_ONLY_IN_A_RECORDED_EPOCH",
                    TAKEOVER,
                    "a leader skips only when its log says that it is in the epoch"),
            entry("LOG_OF_THE_EPOCH_STAYS", REGISTERS, "the log of the present epoch is not truncated"),
            entry(
                    "ONLY_DECIDED_RECORDS_ARE_TOLD",
                    BEHIND,
                    "what the log may hold as accepted only is not told as decided"),
            entry(
                    "LOG_IS_TOLD_AS_DECIDED_WHEN_READ",
                    BEHIND,
                    "what the log held when it was read is told only where that was decided by then"),
            entry(
                    "ONLY_DELIVERED_VALUES_ARE_LEARNED",
                    BEHIND,
                    "who does not know the epoch takes only what others have delivered"),
            entry(
                    "DECIDED_POSITION_IS_CLOSED",
                    REGISTERS,
                    "what a deposed proposer proposes is not accepted where something else is decided"),
            entry(
                    "EPOCH_ENDS_FOR_COMMANDS_OF_A_LEADER_THAT_IS_GONE",
                    MINORITY,
                    "whose commands wait for a leader that is gone wishes for the end of the epoch"),
            entry(
                    "CANDIDATES_WAIT_FOR_SLOW_DISKS",
                    MINORITY,
                    "a candidate waits for slow disks, longer after each attempt"),
            entry(
                    "HOLE_IS_FILLED_BY_A_STATE",
                    OUTDATED,
                    "a start whose log has a hole below what is decided waits for another replica's state"),
            entry(
                    "FOUNDER_STANDS_FOR_COMPANIONS_ONLY",
                    FOUNDING,
                    "a founder that has promised nothing stands only for the disks that it founded with"
                            + " ([022](decisions/022-founding.md))"),
            entry("FOUNDING_IS_REMEMBERED", FOUNDING, "a disk remembers that it has founded the cluster"),
            entry("HELLO_IS_DURABLE", FOUNDING, "a disk tells of itself only what a crash leaves it"),
            entry(
                    "NEW_DISK_HAS_NO_VOTE",
                    REGISTERS,
                    "a disk in the place of a lost one has no vote until it is admitted"),
            entry(
                    "READ_AFTER_WRITE",
                    REGISTERS,
                    "a disk counts for a proposal only when the headers were read behind the write"),
            entry(
                    "READ_BEGINS_BEHIND_THE_DURABLE_WRITE",
                    OUTDATED,
                    "that read begins when the write is durable, and not with it"),
            entry(
                    "TAKEOVER_READS_BEHIND_ITS_HEADER",
                    REGISTERS,
                    "whoever takes over reads a disk only when its own header is durable there"),
            entry("MAJORITY_OF_DISKS", REGISTERS, "a majority is one of the disks, however many servers there are"),
            entry(
                    "RING_IS_READ_AGAIN_WHERE_ITS_TAIL_MOVED",
                    OUTDATED,
                    "a ring is read once more where its beginning has moved meanwhile"),
            entry(
                    "RING_IS_TAKEN_UP_FROM_ONE_DISK",
                    OUTDATED,
                    "a start takes up its ring as one disk has it, the one with the highest last ballot"),
            entry(
                    "RING_IS_FREED_BY_POSITION",
                    OUTDATED,
                    "a ring is freed by what headers say of positions, not by where they say that it begins"),
            entry(
                    "READ_BARRIER_READS_HEADERS",
                    REGISTERS,
                    "a leader answers a read only after it has read the headers of a majority for it"));

    /** Of the contract and of the host: those that matter where nothing of the order is on a server's own disk. */
    private static final Set<String> WHERE_DISKS_ARE_SHARED = Set.of(
            ContractRule.READ_WAITS_FOR_ITS_BARRIER.name(),
            ContractRule.EVERY_COMMAND_IS_ORDERED.name(),
            HostRule.FIRST_SNAPSHOT_IS_FORCED.name(),
            HostRule.FETCHED_FILES_ARE_FORCED.name(),
            HostRule.COMMAND_IS_APPLIED_ONCE.name(),
            HostRule.STREAM_IS_APPLIED_IN_ORDER.name(),
            HostRule.STATE_IS_WRITTEN_WHEN_ASKED_FOR.name(),
            HostRule.EXPIRY_IS_OF_THE_PRESENT_EPOCH.name(),
            HostRule.EXPIRY_IS_OF_THE_PRESENT_OWNER.name(),
            HostRule.CLOSED_CONNECTIONS_ORDER_NOTHING.name(),
            HostRule.WHAT_A_RECONFIG_HELD_BACK_IS_TAKEN_UP.name(),
            HostRule.ENDED_LOOK_UP_MAKES_ROOM.name(),
            HostRule.SESSIONS_OF_THE_SILENT_ARE_ORPHANED.name(),
            HostRule.DISKS_OF_OTHER_CLUSTERS_ARE_REFUSED.name());

    private static final String OF_SHARED_DISKS = HostRule.DISKS_OF_OTHER_CLUSTERS_ARE_REFUSED.name();

    private MutantRegistry() {}

    /**
     * Takes out each rule of each protocol in turn.
     *
     * @param protocols whose rules are asked for
     * @return one for each rule and protocol that it concerns, in the order of the table
     * @throws IllegalStateException if a protocol names a rule that is not registered, or none names a registered one
     */
    public static List<Mutant> of(Collection<OrderingProtocolFactory> protocols) {
        List<Mutant> mutants = new ArrayList<>();
        Set<String> named = new TreeSet<>();
        protocols.forEach(protocol -> named.addAll(protocol.rules()));
        Set<String> registered = new TreeSet<>();
        OF_PROTOCOLS.forEach(entry -> registered.add(entry.rule()));
        if (!registered.equals(named)) {
            throw new IllegalStateException("registered are " + registered + ", protocols name " + named);
        }
        for (Entry entry : OF_PROTOCOLS) {
            for (OrderingProtocolFactory protocol : protocols) {
                if (protocol.rules().contains(entry.rule())) {
                    mutants.add(mutant(entry, protocol, protocol.without(entry.rule()), Set.of()));
                }
            }
        }
        for (Entry entry : OF_PROTOCOLS_TOGETHER) {
            List<String> rules = List.of(entry.rule().split(Pattern.quote("+")));
            for (OrderingProtocolFactory protocol : protocols) {
                if (protocol.rules().containsAll(rules)) {
                    OrderingProtocolFactory factory = protocol;
                    for (String rule : rules) {
                        factory = factory.without(rule);
                    }
                    mutants.add(mutant(entry, protocol, factory, Set.of()));
                }
            }
        }
        for (Entry entry : OF_THE_CONTRACT) {
            ContractRule rule = ContractRule.valueOf(entry.rule());
            for (OrderingProtocolFactory protocol : protocols) {
                if (concerns(entry, protocol) && comesWithPromises(rule, protocol)) {
                    mutants.add(mutant(entry, protocol, new BrokenProtocol(protocol, rule), Set.of()));
                }
            }
        }
        for (Entry entry : OF_THE_HOST) {
            for (OrderingProtocolFactory protocol : protocols) {
                if (concerns(entry, protocol)) {
                    mutants.add(mutant(entry, protocol, protocol, EnumSet.of(HostRule.valueOf(entry.rule()))));
                }
            }
        }
        return mutants;
    }

    private static boolean concerns(Entry entry, OrderingProtocolFactory protocol) {
        return protocol.sharedDisks() == null
                ? !entry.rule().equals(OF_SHARED_DISKS)
                : WHERE_DISKS_ARE_SHARED.contains(entry.rule());
    }

    private static boolean comesWithPromises(ContractRule rule, OrderingProtocolFactory protocol) {
        return rule != ContractRule.STATE_COMES_WITH_ITS_PROMISE
                || protocol.promiseKind() != OrderingProtocolFactory.NO_KIND;
    }

    private static Mutant mutant(
            Entry entry, OrderingProtocolFactory protocol, OrderingProtocolFactory factory, Set<HostRule> missing) {
        return new Mutant(entry.rule(), entry.statement(), entry.application(protocol), factory, missing);
    }
}
