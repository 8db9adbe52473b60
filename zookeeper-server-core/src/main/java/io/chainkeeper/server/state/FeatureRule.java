package io.chainkeeper.server.state;

/** The rules that let servers of two releases run beside each other (docs/decisions/037). */
public enum FeatureRule {
    /** A feature level comes into force only if all servers have said by then that they know it. */
    LEVEL_RISES_WHERE_ALL_KNOW_IT,
    /** A server that does not know the level in force executes nothing in it. */
    UNKNOWN_LEVEL_STOPS,
    /** The directory notes a level before anything is executed in it. */
    LEVEL_IS_NOTED_BEFORE_EXECUTION
}
