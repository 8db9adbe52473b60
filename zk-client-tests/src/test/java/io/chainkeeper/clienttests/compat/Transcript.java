package io.chainkeeper.clienttests.compat;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.clienttests.harness.Ensemble;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;

/** What one server made of a script: the result of each step and the replies of each connection. */
final class Transcript {
    private static final int FINDINGS_SHOWN = 40;

    private final Map<String, String> results = new LinkedHashMap<>();
    private Map<String, List<String>> replies;

    /** Runs a script to its end. A step that fails is a result; only a broken test throws. */
    static Transcript of(Ensemble ensemble, Step.Script script) throws Exception {
        try (Bench bench = new Bench(ensemble, script.root())) {
            return of(bench, script);
        }
    }

    private static Transcript of(Bench bench, Step.Script script) throws Exception {
        Transcript transcript = new Transcript();
        for (Step step : script.steps()) {
            String result = bench.isStock() && step.expected() != null ? step.expected() : result(bench, step);
            if (transcript.results.put(step.name(), result) != null) {
                throw new IllegalArgumentException("two steps of " + script + " are named " + step.name());
            }
        }
        transcript.replies = bench.replies();
        return transcript;
    }

    private static String result(Bench bench, Step step) {
        try {
            return text(step.action().run(bench));
        } catch (KeeperException e) {
            return e.code() + " " + e.getPath() + (e.getResults() == null ? "" : " " + text(e.getResults()));
        } catch (Exception e) {
            return e.toString();
        }
    }

    /** Fails unless two transcripts of a script are equal, and shows where they are not. */
    static void assertSame(Step.Script script, String name, Transcript expected, String otherName, Transcript actual) {
        List<String> findings = new ArrayList<>();
        for (Step step : script.steps()) {
            String result = expected.results.get(step.name());
            String other = actual.results.get(step.name());
            if (!result.equals(other)) {
                findings.add(finding(step.name(), name, result, otherName, other));
            }
        }
        assertEquals(expected.replies.keySet(), actual.replies.keySet());
        expected.replies.forEach((connection, replies) -> {
            List<String> others = actual.replies.get(connection);
            for (int i = 0; i < Math.max(replies.size(), others.size()); i++) {
                String reply = i < replies.size() ? replies.get(i) : "none";
                String other = i < others.size() ? others.get(i) : "none";
                if (!reply.equals(other)) {
                    findings.add(finding(connection + ", reply " + i, name, reply, otherName, other));
                }
            }
        });
        List<String> shown = findings.subList(0, Math.min(FINDINGS_SHOWN, findings.size()));
        assertEquals(
                findings.size() + " differences in " + script.steps().size() + " steps; the first:\n"
                        + String.join("\n", shown),
                0,
                findings.size());
    }

    private static String finding(String what, String name, String expected, String otherName, String actual) {
        return what + "\n  " + name + ": " + expected + "\n  " + otherName + ": " + actual;
    }

    /** Times, zxids and owners are left to the comparison of the replies. */
    private static String text(Object result) {
        if (result instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        } else if (result instanceof Stat stat) {
            return "version " + stat.getVersion() + " cversion " + stat.getCversion() + " aversion "
                    + stat.getAversion() + " length " + stat.getDataLength() + " children " + stat.getNumChildren();
        } else if (result instanceof List<?> list) {
            return list.stream().map(Transcript::text).collect(Collectors.joining(", ", "[", "]"));
        } else if (result instanceof OpResult.ErrorResult error) {
            return "error " + error.getErr();
        } else if (result instanceof OpResult.CreateResult created) {
            return "created " + created.getPath() + " " + text(created.getStat());
        } else if (result instanceof OpResult.SetDataResult set) {
            return "set " + text(set.getStat());
        } else if (result instanceof OpResult.GetDataResult got) {
            return "got " + text(got.getData()) + " " + text(got.getStat());
        } else if (result instanceof OpResult.GetChildrenResult children) {
            return "children " + children.getChildren();
        } else if (result instanceof OpResult) {
            return result.getClass().getSimpleName();
        }
        return String.valueOf(result);
    }
}
