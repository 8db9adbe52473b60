package io.chainkeeper.server.bootstrap;

import java.util.Map;
import java.util.function.LongSupplier;

/** Ends this life of a replica and begins another one in the same process. Any thread; never waits. */
interface NewStart {
    /** The state of another member has been fetched: the next start installs it. */
    void stateFetched();

    /**
     * What this replica proposes has no effect, because the order holds commands of a later start of it: the next start
     * is numbered above that.
     *
     * @param incarnation the latest one in the order
     */
    void superseded(long incarnation);

    /** The request to go on alone has been carried out: the next start is an ordinary one. */
    void wentOnAlone();

    /** How often it was superseded in this process. */
    Map<String, LongSupplier> gauges();
}
