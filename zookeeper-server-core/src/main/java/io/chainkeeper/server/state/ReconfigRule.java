package io.chainkeeper.server.state;

/** The rules by which a {@code reconfig} that has ended, however, holds up nothing else. */
public enum ReconfigRule {
    /** What its client has asked for behind a {@code reconfig} is taken up when that is ordered or refused. */
    WHAT_A_RECONFIG_HELD_BACK_IS_TAKEN_UP,
    /** A server whose look-up of names for one {@code reconfig} has ended takes the next one. */
    ENDED_LOOK_UP_MAKES_ROOM
}
