package io.chainkeeper.simulation.host;

import io.chainkeeper.replica.ApplyRule;
import io.chainkeeper.server.session.SessionRule;
import io.chainkeeper.server.state.FeatureRule;
import io.chainkeeper.server.state.ReconfigRule;

/** Rules of a replica's host that agreement rests on. A run without one of them shows that it would be missed. */
public enum HostRule {
    /** A link is not read as long as what it brought fills the queue. */
    FULL_QUEUE_IS_NOT_READ_FOR,
    /** A start discards what the log holds below a state that was installed (docs/decisions/021). */
    WHAT_AN_INSTALLED_STATE_COVERS_IS_DISCARDED,
    /** A replica that learns from the order that it has had a later start begins one above that. */
    SUPERSEDED_REPLICA_STARTS_ABOVE,
    /** A start reads only behind a command of its own: so starts that read ascend, though the clock is set back. */
    READS_WAIT_FOR_AN_OWN_COMMAND,
    /** What a file was given is on the disk when a force of it returns. */
    FILES_ARE_FORCED,
    /** The names in a directory are on the disk when a force of it returns. */
    DIRECTORIES_ARE_FORCED,
    /** The snapshot of a new directory is forced before anything rests on it. */
    FIRST_SNAPSHOT_IS_FORCED,
    /** What is fetched of another member's state is forced before it counts as fetched. */
    FETCHED_FILES_ARE_FORCED,
    /** See {@link ApplyRule#COMMAND_IS_APPLIED_ONCE}. */
    COMMAND_IS_APPLIED_ONCE,
    /** See {@link ApplyRule#STREAM_IS_APPLIED_IN_ORDER}. */
    STREAM_IS_APPLIED_IN_ORDER,
    /** Who is asked for its state, and has none on disk that is new enough, writes one. */
    STATE_IS_WRITTEN_WHEN_ASKED_FOR,
    /** See {@link FeatureRule#LEVEL_RISES_WHERE_ALL_KNOW_IT}. */
    LEVEL_RISES_WHERE_ALL_KNOW_IT,
    /** See {@link FeatureRule#UNKNOWN_LEVEL_STOPS}. */
    UNKNOWN_LEVEL_STOPS,
    /** See {@link FeatureRule#LEVEL_IS_NOTED_BEFORE_EXECUTION}. */
    LEVEL_IS_NOTED_BEFORE_EXECUTION,
    /** See {@link SessionRule#EXPIRY_IS_OF_THE_PRESENT_EPOCH}. */
    EXPIRY_IS_OF_THE_PRESENT_EPOCH,
    /** See {@link SessionRule#EXPIRY_IS_OF_THE_PRESENT_OWNER}. */
    EXPIRY_IS_OF_THE_PRESENT_OWNER,
    /** See {@link SessionRule#CLOSED_CONNECTIONS_ORDER_NOTHING}. */
    CLOSED_CONNECTIONS_ORDER_NOTHING,
    /** See {@link ReconfigRule#WHAT_A_RECONFIG_HELD_BACK_IS_TAKEN_UP}. */
    WHAT_A_RECONFIG_HELD_BACK_IS_TAKEN_UP,
    /** See {@link ReconfigRule#ENDED_LOOK_UP_MAKES_ROOM}. */
    ENDED_LOOK_UP_MAKES_ROOM,
    /** When a member is silent, its sessions become ownerless, so that others end them. */
    SESSIONS_OF_THE_SILENT_ARE_ORPHANED,
    /** Links are asked for the cluster that a server's directory belongs to, and are closed where that differs. */
    OTHER_CLUSTERS_ARE_REFUSED,
    /** A disk that says that it is another cluster's is not used. See {@code DiskComparison}. */
    DISKS_OF_OTHER_CLUSTERS_ARE_REFUSED
}
