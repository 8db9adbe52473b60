package io.chainkeeper.simulation.link;

/** What is wrong with the links, or with who uses them: each must be found. */
enum LinkMutant {
    /** Links as they are. */
    NONE,
    /** A frame gets lost while the link stays up. */
    FRAME_LOST,
    /** Two frames change places. */
    FRAMES_SWAPPED,
    /** A frame is delivered when the link is down. */
    FRAME_AFTER_DOWN,
    /** The listener is not told that a link is down. */
    DOWN_NOT_TOLD,
    /** A byte of a frame changes. */
    BYTE_CHANGED,
    /** The host says that it knows of a connection before the thread that sends knows. */
    ACKNOWLEDGED_TOO_SOON,
    /** Names are not found any more after a while. */
    NOT_DIALLED_AGAIN,
    /** Buffers are not released. */
    BUFFERS_LEAK,
    /** More waits for a slow peer than is allowed. */
    OUTBOUND_UNBOUNDED,
    /** Reading goes on while the listener does not want any more. */
    PAUSE_IGNORED,
    /** Somebody else's answer to a bulk request. */
    ANSWER_OF_ANOTHER,
    /** What is told of a link fails: a defect of the product, which must not be kept from it. */
    LISTENER_FAILS
}
