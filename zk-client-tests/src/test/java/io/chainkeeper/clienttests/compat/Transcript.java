package io.chainkeeper.clienttests.compat;

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
    private final Map<String, String> results = new LinkedHashMap<>();
    private Map<String, List<String>> replies;

    /** Runs a script to its end. A step that fails is a result; only a broken test throws. */
    static Transcript of(Bench bench, Step.Script script) throws Exception {
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

    Map<String, String> results() {
        return results;
    }

    Map<String, List<String>> replies() {
        return replies;
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
