package io.chainkeeper.main;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;

/**
 * Writes each event of the log as one line with one JSON object: logback's {@code timestamp} (milliseconds since 1970),
 * {@code level}, {@code threadName}, {@code loggerName}, {@code mdc}, {@code formattedMessage}, and
 * {@code throwable} with the stack trace, which is empty where {@link ConnectionTraces} writes none. For the encoder of
 * a {@code logback.xml}. Any thread.
 */
public final class JsonLines extends JsonEncoder {
    private static final StackTraceElementProxy[] NO_STEPS = {};

    /** Leaves out what is in the message already, and what says nothing about a server. */
    public JsonLines() {
        setWithSequenceNumber(false);
        setWithNanoseconds(false);
        setWithContext(false);
        setWithMessage(false);
        setWithArguments(false);
        setWithFormattedMessage(true);
        // Written below, where the event is at hand.
        setWithThrowable(false);
    }

    @Override
    protected void appendCustomFields(StringBuilder line, ILoggingEvent event) {
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown == null) {
            return;
        }
        appendThrowableProxy(line, "throwable", ConnectionTraces.isTraced(event) ? thrown : new Untraced(thrown));
    }

    /** What was thrown without how it came about. */
    private record Untraced(IThrowableProxy thrown) implements IThrowableProxy {
        @Override
        public String getMessage() {
            return thrown.getMessage();
        }

        @Override
        public String getClassName() {
            return thrown.getClassName();
        }

        @Override
        public StackTraceElementProxy[] getStackTraceElementProxyArray() {
            return NO_STEPS;
        }

        @Override
        public int getCommonFrames() {
            return 0;
        }

        @Override
        public IThrowableProxy getCause() {
            return null;
        }

        @Override
        public IThrowableProxy[] getSuppressed() {
            return new IThrowableProxy[0];
        }

        @Override
        public boolean isCyclic() {
            return false;
        }
    }
}
