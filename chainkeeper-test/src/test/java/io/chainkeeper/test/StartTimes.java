package io.chainkeeper.test;

import java.util.concurrent.TimeUnit;

/** Prints how long ensembles take to start, from the first one of a JVM on, and to close. Run by hand. */
public final class StartTimes {
    private StartTimes() {}

    /** @param arguments number of servers; how many ensembles one after the other */
    public static void main(String[] arguments) throws Exception {
        int servers = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1;
        int times = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
        for (int i = 0; i < times; i++) {
            long begin = System.nanoTime();
            ChainkeeperCluster cluster = ChainkeeperCluster.start(servers);
            long started = System.nanoTime();
            cluster.close();
            long closed = System.nanoTime();
            System.out.println(servers + " servers: start " + TimeUnit.NANOSECONDS.toMillis(started - begin)
                    + " ms, close " + TimeUnit.NANOSECONDS.toMillis(closed - started) + " ms");
        }
    }
}
