package io.chainkeeper.shareddisk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The paths of an ensemble's disks, as a user lists them. Reads nothing of what lies on the disks. Stateless. */
public final class DiskPaths {
    private static final String SEPARATOR = ",";
    private static final String MODE = "unix:mode";
    private static final String DEVICE = "unix:rdev";
    private static final int KIND_BITS = 0170000;
    private static final int FILE = 0100000;
    private static final int BLOCK_DEVICE = 0060000;

    private DiskPaths() {}

    /**
     * @param list as in zoo.cfg: paths with commas between them
     * @return the paths, in that order
     * @throws IOException if there is none, an even number of them, an empty one, or one that is no absolute path; one
     *     line without the key
     */
    public static List<Path> parse(String list) throws IOException {
        List<Path> paths = new ArrayList<>();
        for (String each : Arrays.asList(list.split(SEPARATOR, -1))) {
            paths.add(path(each.strip(), list));
        }
        if (paths.size() % 2 == 0) {
            throw new IOException(list + " are " + paths.size() + " disks: a majority of an even number is no better"
                    + " than of one less; list an odd number");
        }
        return List.copyOf(paths);
    }

    private static Path path(String text, String list) throws IOException {
        if (text.isEmpty()) {
            throw new IOException(
                    "'" + list + "' lists a disk without a path; list block devices or files with commas between them");
        }
        try {
            Path path = Path.of(text);
            if (!path.isAbsolute()) {
                throw new IOException(text + " is no absolute path; write all of it");
            }
            return path;
        } catch (InvalidPathException e) {
            throw new IOException(text + " is no path (" + e.getReason() + "); list block devices or files", e);
        }
    }

    /**
     * Refuses one disk that is listed twice, be it by links or by two nodes of one device.
     *
     * @param paths of existing block devices or files
     * @throws IOException if two of them are the same, or one cannot be looked at; one line
     */
    public static void checkDistinct(List<Path> paths) throws IOException {
        List<Object> keys = new ArrayList<>();
        for (Path path : paths) {
            checkKind(path);
            Object key = key(path);
            int other = keys.indexOf(key);
            if (other >= 0) {
                throw new IOException(path + " is the same disk as " + paths.get(other)
                        + (path.equals(paths.get(other)) ? ", listed twice" : "") + "; list each disk once");
            }
            keys.add(key);
        }
    }

    private static Object key(Path path) throws IOException {
        if (kind(path) == BLOCK_DEVICE) {
            return "device " + Files.getAttribute(path, DEVICE);
        }
        Object inode = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        return inode == null ? path.toRealPath() : inode;
    }

    /**
     * Refuses what cannot be a disk.
     *
     * @param path as listed
     * @throws IOException if it is neither a block device nor a file; one line
     */
    static void checkKind(Path path) throws IOException {
        int kind;
        try {
            kind = kind(path);
        } catch (NoSuchFileException e) {
            throw new IOException(path + " does not exist: attach that disk, or correct disk.paths", e);
        } catch (IOException e) {
            throw new IOException(path + " cannot be looked at (" + e.getMessage() + ")", e);
        }
        if (kind != FILE && kind != BLOCK_DEVICE) {
            throw new IOException(path + " is neither a block device nor a file; correct disk.paths");
        }
    }

    private static int kind(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, MODE) & KIND_BITS;
    }
}
