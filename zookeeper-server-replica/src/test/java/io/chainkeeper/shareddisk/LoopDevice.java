package io.chainkeeper.shareddisk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.AssumptionViolatedException;

/** A block device over a file, where the user of the tests may make one. */
public final class LoopDevice implements AutoCloseable {
    /** Gets and sets the device's status, in which {@code lo_sizelimit} is the fifth number of eight bytes. */
    private static final String LIMIT = "import fcntl, os, struct, sys\n"
            + "device, status = os.open(sys.argv[1], os.O_RDWR), bytearray(232)\n"
            + "fcntl.ioctl(device, 0x4C05, status)\n"
            + "struct.pack_into('<Q', status, 32, int(sys.argv[2]))\n"
            + "fcntl.ioctl(device, 0x4C04, status)\n";

    private final Path path;

    /**
     * @param file whose bytes the device has
     * @throws AssumptionViolatedException if this user or system makes none: the test is skipped, and says so
     */
    public LoopDevice(Path file) throws IOException, InterruptedException {
        path = Path.of(run("losetup", "--find", "--show", file.toString()).strip());
    }

    /** Runs a command that only the superuser may; skips the test where it fails. */
    public static String run(String... command) throws IOException, InterruptedException {
        String answer;
        int code;
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            code = process.waitFor();
        } catch (IOException e) {
            throw new AssumptionViolatedException("skipped: " + e.getMessage());
        }
        if (code != 0) {
            throw new AssumptionViolatedException("skipped: " + String.join(" ", command) + ": " + answer.strip());
        }
        return answer;
    }

    /** The device. */
    public Path path() {
        return path;
    }

    /**
     * From now on the device ends earlier than its file, for all who have it open too.
     *
     * @param bytes that it has; 0 for as many as the file
     */
    public void limit(long bytes) throws IOException, InterruptedException {
        run("python3", "-c", LIMIT, path.toString(), Long.toString(bytes));
    }

    /** Another node of the same device. */
    public Path node(Path at) throws IOException, InterruptedException {
        long device = (Long) Files.getAttribute(path, "unix:rdev");
        run("mknod", at.toString(), "b", Long.toString(device >> 8), Long.toString(device & 0xff));
        return at;
    }

    @Override
    public void close() throws Exception {
        run("losetup", "--detach", path.toString());
    }
}
