package io.chainkeeper.transport.netty;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.RefusalKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;

/** Takes down what happens on the links and checks what the listener's contract promises. */
public final class RecordingListener implements PeerTransport.Listener {
    private final Map<Integer, List<String>> events = new TreeMap<>();
    private final Map<Integer, List<ByteSlice>> frames = new TreeMap<>();
    private final Map<Integer, List<String>> refusals = new TreeMap<>();
    private final Map<Integer, RefusalKind> kinds = new TreeMap<>();
    private final Map<Integer, Boolean> up = new TreeMap<>();
    private final Map<Integer, Integer> ups = new TreeMap<>();
    private final Map<Integer, AtomicInteger> inside = new ConcurrentHashMap<>();
    private final List<String> violations = new ArrayList<>();
    private volatile BiPredicate<Integer, ByteSlice> answer;

    /** @param predicate decides what {@link #onFrame} returns; such frames are not kept */
    public void answerFrames(BiPredicate<Integer, ByteSlice> predicate) {
        answer = predicate;
    }

    private void enter(int peer) {
        if (inside.computeIfAbsent(peer, p -> new AtomicInteger()).incrementAndGet() != 1) {
            violation("calls for peer " + peer + " overlap");
        }
    }

    private void leave(int peer) {
        inside.get(peer).decrementAndGet();
    }

    private synchronized void violation(String what) {
        violations.add(what);
    }

    @Override
    public void onPeerUp(int peer) {
        enter(peer);
        synchronized (this) {
            if (Boolean.TRUE.equals(up.put(peer, true))) {
                violations.add("peer " + peer + " is up twice");
            }
            ups.merge(peer, 1, Integer::sum);
            events.computeIfAbsent(peer, p -> new ArrayList<>()).add("up");
        }
        leave(peer);
    }

    @Override
    public void onPeerDown(int peer) {
        enter(peer);
        synchronized (this) {
            if (!Boolean.TRUE.equals(up.put(peer, false))) {
                violations.add("peer " + peer + " is down without having been up");
            }
            events.computeIfAbsent(peer, p -> new ArrayList<>()).add("down");
        }
        leave(peer);
    }

    @Override
    public boolean onFrame(int peer, ByteSlice frame) {
        enter(peer);
        BiPredicate<Integer, ByteSlice> decides = answer;
        boolean more = true;
        synchronized (this) {
            if (!Boolean.TRUE.equals(up.get(peer))) {
                violations.add("a frame of peer " + peer + " while it is down");
            }
            if (decides == null) {
                frames.computeIfAbsent(peer, p -> new ArrayList<>()).add(frame);
            }
        }
        try {
            if (decides != null) {
                more = decides.test(peer, frame);
            }
        } finally {
            leave(peer);
        }
        return more;
    }

    @Override
    public synchronized void onPeerRefused(int peer, RefusalKind kind, String reason) {
        kinds.put(peer, kind);
        refusals.computeIfAbsent(peer, p -> new ArrayList<>()).add(reason);
    }

    public synchronized boolean isUp(int peer) {
        return Boolean.TRUE.equals(up.get(peer));
    }

    public synchronized int timesUp(int peer) {
        return ups.getOrDefault(peer, 0);
    }

    public synchronized List<String> events(int peer) {
        return List.copyOf(events.getOrDefault(peer, List.of()));
    }

    public synchronized List<ByteSlice> frames(int peer) {
        return List.copyOf(frames.getOrDefault(peer, List.of()));
    }

    public synchronized List<String> refusals(int peer) {
        return List.copyOf(refusals.getOrDefault(peer, List.of()));
    }

    /** @return kind of the last refusal */
    public synchronized RefusalKind refusalKind(int peer) {
        return kinds.get(peer);
    }

    public synchronized List<String> violations() {
        return List.copyOf(violations);
    }
}
