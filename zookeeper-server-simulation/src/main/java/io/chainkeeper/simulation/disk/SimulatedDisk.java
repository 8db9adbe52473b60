package io.chainkeeper.simulation.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/**
 * The disk of one replica, as a file system of {@code java.nio.file} below {@link #root}. What was not forced by such a
 * path may be gone after {@link #losePower}; what was forced is there, always.
 *
 * <p>Files are in memory until somebody asks for one as a {@link java.io.File}. From then on everything below the same
 * entry of the root is in a real directory, so that classes which know nothing of this one can work on it; what such
 * classes write counts as not forced.
 *
 * <p>Used by one thread. Names are listed in ascending order, so that a run does not depend on the machine.
 */
public final class SimulatedDisk {
    private static final String NO_SPACE = "No space left on device";

    private final Path real;
    private final SplittableRandom random;
    private final DiskFileSystem files = new DiskFileSystem(this);
    private final DiskTree tree = new DiskTree();
    private final List<DiskChannel> open = new ArrayList<>();

    /** Entries of the root below which files are real ones, and somebody may have changed them by another way. */
    private final Set<String> realEntries = new TreeSet<>();

    /** Whether whatever is in the root is real, except for {@link #entriesInMemory}. */
    private boolean isRootReal;

    /** Entries of the root that stay in memory until somebody needs a real file below them. */
    private final Set<String> entriesInMemory = new TreeSet<>();

    /** How many operations the running process may still do; negative for any number. */
    private int operationsLeft = -1;

    private boolean isStopped;
    private int forcesToFail;
    private boolean isFull;
    private boolean hasFailed;
    private BiPredicate<Path, Boolean> forces = (path, isDirectory) -> true;
    private long operations;

    /**
     * @param real where its files will be if somebody needs real ones; not there yet
     * @param random what is drawn
     */
    public SimulatedDisk(Path real, SplittableRandom random) {
        this.real = real;
        this.random = random;
    }

    /** The directory above everything on this disk. */
    public Path root() {
        return files.root();
    }

    /**
     * An entry of the root is nobody's business who works on real files, although somebody does so in the root.
     *
     * @param entry its name; nothing is there yet
     */
    public void keepInMemory(String entry) {
        if (tree.at(root().resolve(entry)) == null) {
            entriesInMemory.add(entry);
        }
    }

    /** A hash of all names, and of what the files hold. */
    public long contentHash() {
        long hash = 1;
        try (Stream<Path> all = Files.walk(root())) {
            for (Path path : all.sorted().toList()) {
                hash = 31 * hash + path.toString().hashCode();
                hash = 31 * hash + (Files.isDirectory(path) ? 0 : Arrays.hashCode(Files.readAllBytes(path)));
            }
            return hash;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---------------------------------------------------------------- faults

    /**
     * The running process is gone: what it has written stays. Its channels are closed, its locks are free; somebody
     * has made room before the next one starts.
     */
    public void kill() {
        for (DiskChannel channel : List.copyOf(open)) {
            channel.end();
        }
        open.clear();
        operationsLeft = -1;
        isStopped = false;
        forcesToFail = 0;
        isFull = false;
        hasFailed = false;
    }

    /** The power fails, and comes back. The running process is gone; of what was not forced, some may be. */
    public void losePower() {
        kill();
        try {
            learn();
            Map<String, DiskNode> before = tree.all();
            Map<DiskNode, String> oldNames = new IdentityHashMap<>();
            before.forEach((name, node) -> oldNames.put(node, name));
            tree.losePower(random);
            Map<String, DiskNode> after = tree.all();
            for (Map.Entry<String, DiskNode> entry : after.entrySet()) {
                if (entry.getValue() instanceof DiskFile file) {
                    losePower(file, oldNames.get(file));
                    file.keepInMemory(!isReal(entry.getKey()));
                }
            }
            rewrite(before, after);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void losePower(DiskFile file, String oldName) throws IOException {
        if (oldName == null) {
            file.losePower(file.durable(), random); // a name that was gone is back
        } else if (isReal(oldName)) {
            file.losePower(Files.readAllBytes(real.resolve(oldName)), random);
        } else if (!file.isForced()) {
            file.losePower(file.bytes(), random);
        }
    }

    private void rewrite(Map<String, DiskNode> before, Map<String, DiskNode> after) throws IOException {
        List<String> names = new ArrayList<>(before.keySet());
        for (int i = names.size() - 1; i >= 0; i--) {
            if (isReal(names.get(i))) {
                Files.delete(real.resolve(names.get(i)));
            }
        }
        for (Map.Entry<String, DiskNode> entry : after.entrySet()) {
            if (!isReal(entry.getKey())) {
                continue;
            }
            Path path = real.resolve(entry.getKey());
            if (entry.getValue() instanceof DiskFile file) {
                Files.write(path, file.durable());
            } else {
                Files.createDirectory(path);
            }
        }
    }

    /**
     * The running process will not come to an end of what it does: it stops at one of its next changes of the disk,
     * inside of it perhaps. Until {@link #kill} or {@link #losePower} it can do nothing more.
     *
     * @param left how many operations come to an end, 0 or more
     */
    public void stopAfter(int left) {
        operationsLeft = left;
    }

    /**
     * The running process stops now: nothing that it still does comes to anything. Who wants it to end in the same Java
     * process lets it close what it has open after this, and calls {@link #kill} or {@link #losePower} then.
     */
    public void stop() {
        isStopped = true;
    }

    /** The running process goes on after all. */
    public void stopNever() {
        operationsLeft = -1;
    }

    /** Whether the running process has stopped in the middle of something. */
    public boolean isStopped() {
        return isStopped;
    }

    /** So many of the next forces fail. What they should have forced the system will not write by itself. */
    public void failForces(int number) {
        forcesToFail = number;
    }

    /** From now on nothing can be created and no file becomes longer, or everything as usual again. */
    public void setFull(boolean full) {
        isFull = full;
    }

    /**
     * Some forces do nothing from now on, and say nothing, as if they were left out of the code.
     *
     * @param which says of a path, and whether it is a directory, whether it is forced
     */
    public void forceOnly(BiPredicate<Path, Boolean> which) {
        forces = which;
    }

    boolean forces(Path path, DiskNode node) {
        return forces.test(path, node instanceof DiskDirectory);
    }

    /** There is room, and forces succeed. */
    public void heal() {
        isFull = false;
        forcesToFail = 0;
    }

    /** Whether the running process could not do something that it wanted to. */
    public boolean hasFailed() {
        return hasFailed;
    }

    /** Whether there is no room. */
    public boolean isFull() {
        return isFull;
    }

    /**
     * Some bits of a file have changed by themselves, on the disk too.
     *
     * @param path of the file
     * @param offset of the byte, below the file's length
     * @param bits to be inverted, not 0
     */
    public void rot(Path path, int offset, int bits) {
        DiskPath rotten = DiskPath.of(path);
        DiskFile file = (DiskFile) tree.at(rotten.path());
        try {
            if (!file.isInMemory()) {
                byte[] content = Files.readAllBytes(rotten.real());
                content[offset] ^= (byte) bits;
                Files.write(rotten.real(), content);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        file.rot(offset, bits);
    }

    /** How many changes, forces included, were asked for so far. */
    public long operations() {
        return operations;
    }

    // ---------------------------------------------------------------- for the file system

    Path real(Path path) {
        return real.resolve(path.getRoot().relativize(path).toString());
    }

    SplittableRandom random() {
        return random;
    }

    DiskTree tree() {
        return tree;
    }

    /** Whether what is or would be at a path, absolute and normal, is real. */
    boolean isReal(Path path) {
        if (!isRootReal && realEntries.isEmpty()) {
            return false;
        }
        return path.getNameCount() == 0
                ? isRootReal
                : isEntryReal(path.getName(0).toString());
    }

    /** The names of what is in a real directory and is not real itself. */
    List<String> inMemory(Path directory) {
        if (directory.getNameCount() > 0) {
            return List.of();
        }
        return ((DiskDirectory) tree.at(directory))
                .current.keySet().stream().filter(entry -> !isEntryReal(entry)).toList();
    }

    private boolean isEntryReal(String entry) {
        return realEntries.contains(entry) || isRootReal && !entriesInMemory.contains(entry);
    }

    /** The same of a path below the root. */
    private boolean isReal(String name) {
        int end = name.indexOf('/');
        return isEntryReal(end < 0 ? name : name.substring(0, end));
    }

    /** What is or would be at a path, absolute and normal, is real from now on, and so is all below the same entry. */
    void makeReal(Path path) {
        if (isReal(path)) {
            return;
        }
        Set<String> before = new TreeSet<>(((DiskDirectory) tree.at(files.root().path())).current.keySet());
        before.removeIf(entry -> !isEntryReal(entry));
        if (path.getNameCount() == 0) {
            isRootReal = true;
        } else {
            realEntries.add(path.getName(0).toString());
        }
        moveOut(before);
    }

    private void moveOut(Set<String> entriesBefore) {
        try {
            Files.createDirectories(real);
            Map<DiskNode, Path> paths = new IdentityHashMap<>();
            for (Map.Entry<String, DiskNode> entry : tree.all().entrySet()) {
                String ofRoot = entry.getKey().split("/", 2)[0];
                if (entriesBefore.contains(ofRoot) || !isReal(ofRoot)) {
                    continue;
                }
                Path path = real.resolve(entry.getKey());
                paths.put(entry.getValue(), path);
                if (entry.getValue() instanceof DiskFile file) {
                    Files.write(path, file.moveOut());
                } else {
                    Files.createDirectory(path);
                }
            }
            for (DiskChannel channel : open) {
                Path path = paths.get(channel.node());
                if (path != null && channel.node() instanceof DiskFile) {
                    channel.attach(FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws IOException if the process is stopped */
    void checkRuns() throws IOException {
        if (isStopped) {
            throw new IOException("the process was stopped in the middle of what it did");
        }
    }

    /**
     * A change begins.
     *
     * @return false if the process stops in the middle of it: it may be done in part, and {@link #checkRuns} throws
     * @throws IOException if the process is stopped
     */
    boolean begin() throws IOException {
        checkRuns();
        operations++;
        if (operationsLeft == 0) {
            isStopped = true;
            return false;
        }
        operationsLeft--;
        return true;
    }

    /** A change begins that cannot be done in part. */
    void beginWhole() throws IOException {
        if (!begin()) {
            checkRuns();
        }
    }

    void checkRoom() throws IOException {
        if (isFull) {
            hasFailed = true;
            throw new IOException(NO_SPACE);
        }
    }

    /** @return whether the force that has begun fails */
    boolean forceFails() {
        if (forcesToFail == 0) {
            return false;
        }
        forcesToFail--;
        hasFailed = true;
        return true;
    }

    void opened(DiskChannel channel) {
        open.add(channel);
    }

    void closed(DiskChannel channel) {
        open.remove(channel);
    }

    /** A directory is forced. */
    void forceEntries(DiskDirectory directory, Path path) throws IOException {
        if (path.getNameCount() == 0 && !isRootReal) {
            learnOfRoot();
        } else if (isReal(path)) {
            learnEntries(directory, path);
        }
        tree.forced(directory);
    }

    /**
     * @param path absolute and normal
     * @return what is there, though somebody else may have put it there; null if there is nothing
     */
    DiskNode node(Path path) {
        if (isReal(path) && tree.at(path) == null && path.getParent() != null) {
            Path there = real(path);
            if (Files.exists(there) && node(path.getParent()) instanceof DiskDirectory) {
                tree.created(path, Files.isDirectory(there) ? new DiskDirectory() : new DiskFile(false));
            }
        }
        return tree.at(path);
    }

    /** What others have created or deleted since is learned of; such files were never forced. */
    private void learn() throws IOException {
        Path root = files.root().path();
        if (isRootReal) {
            learn(root);
            return;
        }
        learnOfRoot();
        for (String entry : realEntries) {
            if (tree.at(root.resolve(entry)) instanceof DiskDirectory) {
                learn(root.resolve(entry));
            }
        }
    }

    /** The same of the entries of the root that are real. */
    void learnOfRoot() {
        Path root = files.root().path();
        for (String entry : realEntries) {
            if (tree.at(root.resolve(entry)) != null && Files.notExists(real.resolve(entry))) {
                tree.deleted(root.resolve(entry));
            }
        }
        for (String entry : realEntries) {
            node(root.resolve(entry));
        }
    }

    private void learn(Path path) throws IOException {
        DiskDirectory known = (DiskDirectory) tree.at(path);
        learnEntries(known, path);
        for (Map.Entry<String, DiskNode> entry : known.current.entrySet()) {
            if (entry.getValue() instanceof DiskDirectory && isReal(path.resolve(entry.getKey()))) {
                learn(path.resolve(entry.getKey()));
            }
        }
    }

    private void learnEntries(DiskDirectory known, Path path) throws IOException {
        String[] there = real(path).toFile().list();
        if (there == null) {
            throw new NotDirectoryException(real(path).toString());
        }
        Arrays.sort(there);
        if (isThere(known, there)) {
            return;
        }
        for (String name : List.copyOf(known.current.keySet())) {
            if (isReal(path.resolve(name)) && Arrays.binarySearch(there, name) < 0) {
                tree.deleted(path.resolve(name));
            }
        }
        for (String name : there) {
            if (!known.current.containsKey(name)) {
                Path entry = path.resolve(name);
                tree.created(entry, Files.isDirectory(real(entry)) ? new DiskDirectory() : new DiskFile(false));
            }
        }
    }

    private static boolean isThere(DiskDirectory known, String[] names) {
        if (known.current.size() != names.length) {
            return false;
        }
        int next = 0;
        for (String name : known.current.keySet()) {
            if (!name.equals(names[next++])) {
                return false;
            }
        }
        return true;
    }
}
