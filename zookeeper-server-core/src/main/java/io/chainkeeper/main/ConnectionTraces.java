package io.chainkeeper.main;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import java.util.Set;

/**
 * Writes what was thrown behind the message of a log line, with its stack trace in the lines below. What any client can
 * bring about, as often as it likes, by sending nonsense to the client port gets no stack trace. For the pattern of a
 * {@code logback.xml}, in front of the line's end.
 */
public final class ConnectionTraces extends ThrowableProxyConverter {
    private static final Set<String> LOGGERS = Set.of(
            "org.apache.zookeeper.server.NIOServerCnxn",
            "org.apache.zookeeper.server.NettyServerCnxn",
            "org.apache.zookeeper.server.NettyServerCnxnFactory");

    @Override
    public String convert(ILoggingEvent event) {
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown == null) {
            return "";
        }
        if (isTraced(event)) {
            return System.lineSeparator() + super.convert(event).stripTrailing();
        }
        String message = thrown.getMessage() == null ? "" : ": " + thrown.getMessage();
        return " (" + thrown.getClassName() + message.replaceAll("\\p{Cntrl}+", " ") + ")";
    }

    /** Whether what was thrown with an event is shown with its stack trace. */
    static boolean isTraced(ILoggingEvent event) {
        return !LOGGERS.contains(event.getLoggerName());
    }
}
