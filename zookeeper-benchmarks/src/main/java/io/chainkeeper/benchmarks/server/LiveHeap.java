package io.chainkeeper.benchmarks.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a JVM's live objects take, found by a full collection: {@code jcmd PID GC.class_histogram}. */
public final class LiveHeap {
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)\\s*$");

    private LiveHeap() {}

    /**
     * Collects all garbage of a JVM, which stops it for the time that takes, and counts the rest.
     *
     * @param jcmd the tool, of the same user and JDK
     * @param pid the JVM's process
     * @return bytes
     * @throws IOException if the JVM does not answer
     */
    public static long bytes(Path jcmd, long pid) throws IOException, InterruptedException {
        if (!Files.isExecutable(jcmd)) {
            throw new IOException(jcmd + " is missing: memory per znode needs a JDK, not only a JRE; set JAVA_HOME");
        }
        Process process = new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return total(answer);
    }

    /**
     * @param histogram the tool's answer
     * @return bytes of all objects
     * @throws IOException if the answer has no such line
     */
    static long total(String histogram) throws IOException {
        Matcher total = TOTAL.matcher(histogram);
        if (!total.find()) {
            String shown =
                    histogram.substring(0, Math.min(200, histogram.length())).trim();
            throw new IOException("jcmd GC.class_histogram gave no total: " + shown);
        }
        return Long.parseLong(total.group(1));
    }
}
