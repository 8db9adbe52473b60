package io.chainkeeper.simulation.swarm;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.util.Locale;

/** What runs above the order in a run. */
public enum SimulatedApplication {
    /** Versioned registers: the least that shows what the protocol does. */
    REGISTERS,
    /** ZooKeeper's tree, sessions and watches, executed by the server's own executor. */
    ZNODES,
    /** The same, and administrators ask for other ensembles. */
    RECONFIG,
    /** Registers; a minority that has lagged behind comes back one by one. */
    BEHIND,
    /** Registers; servers come one by one to found the cluster, and crash and lose their disks meanwhile. */
    FOUNDING,
    /** Registers; leaders that do not notice that they are deposed, and replicas that forget it. */
    DEPOSED,
    /** Registers; of a fixed ensemble a minority is down for good; where disks are shared, all but one may be. */
    MINORITY,
    /** Registers; faults come when rare messages leave, and majorities without the leader follow each other. */
    AMBUSH,
    /** The same, and the ensemble changes all the time, by one or by a whole new list. */
    MEMBERS,
    /** As {@link #RECONFIG}; servers of two releases, which are upgraded one by one, and go back. */
    UPGRADE,
    /** Registers; something goes wrong when others finish what a leader has left open, and when an epoch begins. */
    TAKEOVER,
    /** Registers; what was never decided, or is no longer so, meets what has taken its place. */
    OUTDATED;

    /**
     * Reads the value of {@code --application}.
     *
     * @param value as in the command line
     * @return the application
     * @throws IllegalArgumentException if there is none of that name; the message names those there are
     */
    public static SimulatedApplication named(String value) {
        for (SimulatedApplication application : values()) {
            if (application.optionValue().equals(value)) {
                return application;
            }
        }
        throw new IllegalArgumentException("no application is named " + value
                + "; there are registers, znodes, reconfig, behind, founding, deposed, minority, ambush, members,"
                + " upgrade, takeover and outdated");
    }

    /** @return the name in the command line */
    public String optionValue() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Whether there is anything to be seen with a protocol. Where disks are shared, they decide, so what is about
     * majorities of servers, or about what their own disks remember, says nothing. Of two servers one is a minority.
     *
     * @param factory the protocol
     */
    public boolean concerns(OrderingProtocolFactory factory) {
        return factory.sharedDisks() == null
                || this == REGISTERS
                || this == ZNODES
                || this == RECONFIG
                || this == MINORITY
                || this == UPGRADE
                || this == OUTDATED;
    }

    /** Whether the ensemble changes. */
    boolean isReconfigured() {
        return this == REGISTERS || this == RECONFIG || this == UPGRADE;
    }

    /** Whether replicas are whole servers. */
    boolean hasServers() {
        return this == ZNODES || this == RECONFIG || this == UPGRADE;
    }

    /** Whether servers may be started with the directory of another cluster. */
    boolean hasStrangers() {
        return this == REGISTERS || this == ZNODES || this == RECONFIG;
    }

    /** Whether servers may be gone for good in some of the runs. */
    boolean mayMissServers() {
        return this == ZNODES || this == RECONFIG;
    }

    /** Whether disks have to take their time, so that they can hang. */
    boolean isTold() {
        return this == DEPOSED || isAmbush();
    }

    /** Whether something happens when certain messages leave, and time is short between one leader and the next. */
    boolean isAmbush() {
        return this == AMBUSH || this == MEMBERS || this == TAKEOVER || this == OUTDATED;
    }

    /** What a command line that replays a run needs. */
    public String option() {
        return this == REGISTERS ? "" : " --application " + optionValue();
    }
}
