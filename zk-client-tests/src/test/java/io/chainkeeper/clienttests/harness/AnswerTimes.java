package io.chainkeeper.clienttests.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** When a client's writes were acknowledged. Thread-safe; times are those of {@link System#nanoTime()}. */
final class AnswerTimes {
    private final List<Long> times = new ArrayList<>();

    synchronized void add(long nanoTime) {
        times.add(nanoTime);
    }

    /** Returns whether a write was acknowledged after this time. */
    synchronized boolean anyAfter(long nanoTime) {
        return !times.isEmpty() && times.get(times.size() - 1) > nanoTime;
    }

    private synchronized List<Long> between(long fromNanoTime, long toNanoTime) {
        return times.stream()
                .filter(time -> time > fromNanoTime && time < toNanoTime)
                .toList();
    }

    /** Returns the longest time between these two in which none of these clients had a write acknowledged. */
    static Duration longestGap(List<AnswerTimes> clients, long fromNanoTime, long toNanoTime) {
        List<Long> all = new ArrayList<>();
        clients.forEach(client -> all.addAll(client.between(fromNanoTime, toNanoTime)));
        all.sort(null);
        all.add(toNanoTime);
        long last = fromNanoTime;
        long longest = 0;
        for (long time : all) {
            longest = Math.max(longest, time - last);
            last = time;
        }
        return Duration.ofNanos(longest);
    }
}
