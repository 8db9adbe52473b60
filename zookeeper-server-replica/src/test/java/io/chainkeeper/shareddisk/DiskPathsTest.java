package io.chainkeeper.shareddisk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What a user lists as disks: an odd number of absolute paths, each disk once. */
public final class DiskPathsTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void list_isReadInItsOrder() throws Exception {
        assertEquals(
                List.of(Path.of("/dev/b"), Path.of("/dev/a"), Path.of("/c")), DiskPaths.parse("/dev/b, /dev/a,/c"));
        assertEquals(List.of(Path.of("/dev/b")), DiskPaths.parse("/dev/b"));
    }

    @Test
    public void wrongList_isSaidInOneLine() {
        checkRefused(
                "/a,/b",
                "/a,/b are 2 disks: a majority of an even number is no better than of one less;"
                        + " list an odd number");
        checkRefused(
                "/a,,/b",
                "'/a,,/b' lists a disk without a path; list block devices or files with commas between" + " them");
        checkRefused("", "'' lists a disk without a path; list block devices or files with commas between them");
        checkRefused("/a,b,/c", "b is no absolute path; write all of it");
    }

    private static void checkRefused(String list, String message) {
        assertEquals(
                message,
                assertThrows(IOException.class, () -> DiskPaths.parse(list)).getMessage());
    }

    @Test
    public void oneFileTwice_isFoundThroughLinks() throws Exception {
        Path file = folder.newFile().toPath();
        Path other = folder.newFile().toPath();
        Path symbolic = Files.createSymbolicLink(folder.getRoot().toPath().resolve("symbolic"), file);
        Path hard = Files.createLink(folder.getRoot().toPath().resolve("hard"), file);
        DiskPaths.checkDistinct(List.of(file, other));
        checkSame(List.of(file, other, symbolic), symbolic + " is the same disk as " + file + "; list each disk once");
        checkSame(List.of(hard, other, symbolic), symbolic + " is the same disk as " + hard + "; list each disk once");
        checkSame(
                List.of(other, file, file),
                file + " is the same disk as " + file + ", listed twice; list each disk once");
    }

    @Test
    public void oneDeviceTwice_isFoundThroughItsNodes() throws Exception {
        Path file = folder.newFile().toPath();
        Files.write(file, new byte[SharedDisk.BLOCK_BYTES]);
        try (LoopDevice device = new LoopDevice(file)) {
            Path node = device.node(folder.getRoot().toPath().resolve("node"));
            checkSame(
                    List.of(device.path(), node),
                    node + " is the same disk as " + device.path() + "; list each disk once");
        }
    }

    private static void checkSame(List<Path> paths, String message) {
        assertEquals(
                message,
                assertThrows(IOException.class, () -> DiskPaths.checkDistinct(paths))
                        .getMessage());
    }
}
