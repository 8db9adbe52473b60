package io.chainkeeper.server.guard;

import static org.junit.Assert.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.jute.BinaryInputArchive;
import org.junit.Test;

/** How long an entry of the transaction log may be is what ZooKeeper's reader makes of its two properties. */
public class TransactionLimitPropertiesTest {
    private static final String EXTRA = "-Dzookeeper.jute.maxbuffer.extrasize=";

    /** Prints what we take for the limit, and whether ZooKeeper's reader takes as much and not one byte more. */
    public static void main(String[] none) throws IOException {
        long bytes = TransactionLimit.BYTES;
        System.out.println(bytes + " " + isRead(bytes) + " " + isRead(bytes + 1));
    }

    private static boolean isRead(long bytes) throws IOException {
        byte[] length = ByteBuffer.allocate(4).putInt((int) bytes).array();
        try {
            BinaryInputArchive.getArchive(new ByteArrayInputStream(length)).readBuffer("entry");
            throw new AssertionError("read what is not there");
        } catch (EOFException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Both are read once per JVM. */
    private static String ofJvm(String... flags) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(flags));
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(TransactionLimitPropertiesTest.class.getName());
        Process jvm = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(printed, 0, jvm.waitFor());
        List<String> lines = printed.lines().toList();
        return lines.get(lines.size() - 1);
    }

    @Test(timeout = 60_000)
    public void limit_isThatOfZooKeepersReader() throws Exception {
        assertEquals(2 * 0xfffff + " true false", ofJvm());
        assertEquals("20000 true false", ofJvm("-Djute.maxbuffer=10000"));
        assertEquals("15000 true false", ofJvm("-Djute.maxbuffer=10000", EXTRA + 5000));
        assertEquals("11024 true false", ofJvm("-Djute.maxbuffer=10000", EXTRA + 5));
        assertEquals(
                "another property",
                "20000 true false",
                ofJvm("-Djute.maxbuffer=10000", "-Djute.maxbuffer.extrasize=5"));
    }
}
