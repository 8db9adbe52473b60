package io.chainkeeper.benchmarks.host;

import java.util.Map;
import java.util.TreeMap;

/**
 * CPU time of the threads of one name, its number left out.
 *
 * @param userMicros in the process's own code
 * @param systemMicros in the kernel on its behalf
 */
public record ThreadCpu(double userMicros, double systemMicros) {
    /** @return both */
    public double micros() {
        return userMicros + systemMicros;
    }

    /** @return the sum of both */
    public ThreadCpu plus(ThreadCpu other) {
        return new ThreadCpu(userMicros + other.userMicros, systemMicros + other.systemMicros);
    }

    /**
     * What threads used between two looks at them, by group. A thread that ended meanwhile is not in it.
     *
     * @param before see {@link ProcFiles#threadCpu}
     * @param after the same process later
     * @return by the threads' name without its number
     */
    public static Map<String, ThreadCpu> byGroup(Map<Long, Named> before, Map<Long, Named> after) {
        Map<String, ThreadCpu> groups = new TreeMap<>();
        after.forEach((thread, later) -> {
            Named earlier = before.get(thread);
            ThreadCpu begin = earlier == null ? new ThreadCpu(0, 0) : earlier.cpu();
            ThreadCpu used = new ThreadCpu(
                    later.cpu().userMicros - begin.userMicros, later.cpu().systemMicros - begin.systemMicros);
            groups.merge(group(later.name()), used, ThreadCpu::plus);
        });
        return groups;
    }

    /**
     * @param name of a thread
     * @return the name without the number that tells it from others of its kind
     */
    static String group(String name) {
        String group = name.replaceAll("[-:#\\s]*[0-9]+$", "").trim();
        return group.isEmpty() ? name : group;
    }

    /**
     * @param name of a thread, cut to 15 characters by Linux
     * @param cpu since its start
     */
    public record Named(String name, ThreadCpu cpu) {}
}
