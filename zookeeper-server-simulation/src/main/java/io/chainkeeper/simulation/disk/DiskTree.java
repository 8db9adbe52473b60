package io.chainkeeper.simulation.disk;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Names and what they stand for: as processes see them, and as they are on stable storage. A change of entries is
 * durable once the directory was forced in which the new entry is, or the old one was. Before, a power loss may undo
 * it, each for itself; but a file that was renamed has one of its two names.
 */
final class DiskTree {
    /** Something got a name, lost it, or got another one instead. */
    private record Change(DiskDirectory from, String oldName, DiskDirectory to, String newName, DiskNode node) {
        boolean isForcedWith(DiskDirectory directory) {
            return directory == (to == null ? from : to);
        }

        void reachDisk() {
            if (from != null) {
                from.durable.remove(oldName, node);
            }
            if (to != null) {
                to.durable.put(newName, node);
            }
        }
    }

    private final DiskDirectory root = new DiskDirectory();
    private List<Change> unforced = new ArrayList<>();

    /**
     * @param path absolute and normal, of any file system
     * @return what processes see there, null if there is nothing
     */
    DiskNode at(Path path) {
        DiskNode node = root;
        for (Path name : path) {
            if (!(node instanceof DiskDirectory directory)) {
                return null;
            }
            node = directory.current.get(name.toString());
        }
        return node;
    }

    /**
     * @param path absolute and normal
     * @return the directory where it has or would have its entry, null if there is none
     */
    DiskDirectory parent(Path path) {
        return path.getParent() != null && at(path.getParent()) instanceof DiskDirectory directory ? directory : null;
    }

    private static String name(Path path) {
        return path.getFileName().toString();
    }

    /** Something new is there. */
    void created(Path path, DiskNode node) {
        DiskDirectory directory = parent(path);
        directory.current.put(name(path), node);
        unforced.add(new Change(null, null, directory, name(path), node));
    }

    /** Something is there no longer. */
    void deleted(Path path) {
        DiskDirectory directory = parent(path);
        DiskNode node = directory.current.remove(name(path));
        unforced.add(new Change(directory, name(path), null, null, node));
    }

    /** Something is now there instead, and what was there before is not. */
    void renamed(Path from, Path to) {
        DiskDirectory source = parent(from);
        DiskDirectory target = parent(to);
        DiskNode node = source.current.remove(name(from));
        target.current.put(name(to), node);
        unforced.add(new Change(source, name(from), target, name(to), node));
    }

    /** A force of a directory has succeeded. */
    void forced(DiskDirectory directory) {
        List<Change> left = new ArrayList<>();
        for (Change change : unforced) {
            if (change.isForcedWith(directory)) {
                change.reachDisk();
            } else {
                left.add(change);
            }
        }
        unforced = left;
    }

    /** The power is lost: from now on processes see what is on the disk. */
    void losePower(SplittableRandom random) {
        Survival survival = new Survival(random, unforced.size());
        for (int i = 0; i < unforced.size(); i++) {
            if (survival.keeps(i)) {
                unforced.get(i).reachDisk();
            }
        }
        unforced = new ArrayList<>();
        readBack(root);
    }

    private static void readBack(DiskDirectory directory) {
        directory.current.clear();
        directory.current.putAll(directory.durable);
        for (DiskNode node : directory.current.values()) {
            if (node instanceof DiskDirectory inner) {
                readBack(inner);
            }
        }
    }

    /** Everything that processes see, by its path below the root, directories before what they hold. */
    Map<String, DiskNode> all() {
        Map<String, DiskNode> found = new TreeMap<>();
        visit("", root, found::put);
        return found;
    }

    private static void visit(String prefix, DiskDirectory directory, BiConsumer<String, DiskNode> visitor) {
        directory.current.forEach((name, node) -> {
            visitor.accept(prefix + name, node);
            if (node instanceof DiskDirectory inner) {
                visit(prefix + name + "/", inner, visitor);
            }
        });
    }
}
