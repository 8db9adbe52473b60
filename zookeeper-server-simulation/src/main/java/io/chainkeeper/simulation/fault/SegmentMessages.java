package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.Message;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What stories read in the messages of a protocol whose positions are dealt to several leaders. */
final class SegmentMessages {
    private static final String PROPOSES = "Accept";

    /** When a proposer leaves positions empty after a takeover. */
    private static final String PROPOSES_NOTHING = "AcceptNil";

    private static final String INITIAL_BALLOT = "ballot=0.";
    private static final Pattern FIRST_POSITION = Pattern.compile("\\b(?:position|from)=(\\d+)");

    private SegmentMessages() {}

    /** Whether an initial leader proposes a value. */
    static boolean proposesAtFirst(Message message) {
        return isOfKind(message, PROPOSES) && message.toString().contains(INITIAL_BALLOT);
    }

    /** Whether whoever has taken a segment over leaves positions empty. */
    static boolean proposesNothing(Message message) {
        return isOfKind(message, PROPOSES_NOTHING);
    }

    private static boolean isOfKind(Message message, String kind) {
        return message.getClass().getSimpleName().equals(kind);
    }

    /** The first position that is proposed, 0 if none is. */
    static long position(Message message) {
        Matcher matcher = FIRST_POSITION.matcher(message.toString());
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }
}
