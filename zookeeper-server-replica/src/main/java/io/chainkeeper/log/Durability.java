package io.chainkeeper.log;

/** What {@link AcceptorLog#sync} waits for: zoo.cfg key {@code ordering.durability}. */
public enum Durability {
    /** Until the operating system says that the bytes are on stable storage. The default. */
    SYNC,
    /** For nothing; the bytes are forced in the background, a power failure loses the last moments. */
    ASYNC,
    /** For nothing; nothing is ever forced and a restart starts from an empty log. For benchmarks. */
    MEMORY
}
