package io.chainkeeper.simulation.disk;

import static com.sun.nio.file.ExtendedOpenOption.DIRECT;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What can be done with the files of a {@link SimulatedDisk}. What is simple is done in memory; anything else is left
 * to real files, so that its outcome is that of the operating system.
 */
final class DiskProvider extends FileSystemProvider {
    static final DiskProvider INSTANCE = new DiskProvider();
    static final String SCHEME = "simulated-disk";

    private static final Set<OpenOption> SIMPLE = Set.of(READ, WRITE, CREATE, CREATE_NEW, TRUNCATE_EXISTING, DIRECT);
    private static final Set<CopyOption> RENAMING =
            Set.of(StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);

    private DiskProvider() {}

    private static DiskPath usable(Path path) throws IOException {
        DiskPath ofDisk = DiskPath.of(path);
        ofDisk.disk().checkRuns();
        return ofDisk;
    }

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
        throw new UnsupportedOperationException("disks are made by a run");
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        throw new UnsupportedOperationException("disks are known to a run");
    }

    @Override
    public Path getPath(URI uri) {
        throw new UnsupportedOperationException("paths come from a disk");
    }

    // ---------------------------------------------------------------- files

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        DiskPath file = usable(path);
        SimulatedDisk disk = file.disk();
        if (!disk.isReal(file.path()) && attributes.length == 0 && SIMPLE.containsAll(options)) {
            DiskChannel opened = openInMemory(disk, file, options);
            if (opened != null) {
                return opened;
            }
        }
        disk.makeReal(file.path());
        return openReal(disk, file, options, attributes);
    }

    /** Null if there is something special about it. */
    private static DiskChannel openInMemory(SimulatedDisk disk, DiskPath path, Set<? extends OpenOption> options)
            throws IOException {
        boolean writes = options.contains(WRITE);
        boolean creates = writes && (options.contains(CREATE) || options.contains(CREATE_NEW));
        DiskNode node = disk.tree().at(path.path());
        if (node instanceof DiskDirectory && writes) {
            return null;
        }
        if (node == null) {
            if (!hasParent(path) && !leadsNowhere(path)) {
                return null;
            }
            if (!creates || !hasParent(path)) {
                throw new NoSuchFileException(path.toString());
            }
            disk.beginWhole();
            disk.checkRoom();
            node = new DiskFile(true);
            disk.tree().created(path.path(), node);
        } else if (writes && options.contains(CREATE_NEW)) {
            throw new FileAlreadyExistsException(path.toString());
        } else if (writes && options.contains(TRUNCATE_EXISTING)) {
            disk.beginWhole();
            ((DiskFile) node).cut(0);
        }
        boolean reads = !writes || options.contains(READ);
        return new DiskChannel(disk, node, path.path(), reads, writes, false).direct(options.contains(DIRECT));
    }

    private static DiskChannel openReal(
            SimulatedDisk disk, DiskPath path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        boolean appends = options.contains(APPEND);
        boolean writes = appends || options.contains(WRITE);
        if (options.contains(StandardOpenOption.DELETE_ON_CLOSE)) {
            throw new UnsupportedOperationException("files of a simulated disk are not deleted on close");
        }
        Path real = path.real();
        if (!writes) {
            FileChannel opened = FileChannel.open(real, options, attributes);
            return new DiskChannel(disk, disk.node(path.path()), path.path(), true, false, false).attach(opened);
        }
        boolean isNew = Files.notExists(real);
        boolean cuts = !isNew && !appends && options.contains(TRUNCATE_EXISTING);
        if (isNew && (options.contains(CREATE) || options.contains(CREATE_NEW))) {
            disk.beginWhole();
            disk.checkRoom();
        } else if (cuts) {
            disk.beginWhole();
        }
        Set<OpenOption> ofReal = new HashSet<>(options);
        ofReal.remove(DIRECT);
        boolean isRefused = appends && (options.contains(READ) || options.contains(TRUNCATE_EXISTING));
        if (!isRefused) {
            ofReal.remove(APPEND);
            ofReal.addAll(List.of(READ, WRITE));
        }
        FileChannel opened = FileChannel.open(real, ofReal, attributes);
        DiskNode node = isNew ? null : disk.node(path.path());
        if (node == null) {
            disk.node(path.path().getParent());
            node = new DiskFile(false);
            disk.tree().created(path.path(), node);
        }
        if (cuts) {
            ((DiskFile) node).cut(0);
        }
        return new DiskChannel(disk, node, path.path(), options.contains(READ), true, appends)
                .direct(options.contains(DIRECT))
                .attach(opened);
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        List<CopyOption> asked = Arrays.asList(options);
        boolean isDirectory = readAttributes(source, BasicFileAttributes.class).isDirectory();
        if (Files.exists(target)) {
            if (isSameFile(source, target)) {
                return;
            }
            if (!asked.contains(StandardCopyOption.REPLACE_EXISTING)) {
                throw new FileAlreadyExistsException(target.toString());
            }
            delete(target);
        }
        if (isDirectory) {
            createDirectory(target);
        } else {
            Files.write(target, Files.readAllBytes(source));
        }
        if (asked.contains(StandardCopyOption.COPY_ATTRIBUTES)) {
            Files.setLastModifiedTime(target, Files.getLastModifiedTime(source));
        }
    }

    // ---------------------------------------------------------------- entries

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path path, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        DiskPath directory = usable(path);
        List<String> names = new ArrayList<>();
        SimulatedDisk disk = directory.disk();
        boolean isReal = disk.isReal(directory.path());
        if (!isReal && disk.tree().at(directory.path()) instanceof DiskDirectory known) {
            if (directory.path().getNameCount() == 0) {
                disk.learnOfRoot();
            }
            names.addAll(known.current.keySet());
        } else {
            disk.makeReal(directory.path());
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory.real())) {
                entries.forEach(entry -> names.add(entry.getFileName().toString()));
            }
            names.addAll(disk.inMemory(directory.path()));
            names.sort(null);
        }
        List<Path> found = new ArrayList<>();
        for (String name : names) {
            Path entry = path.resolve(name);
            if (filter.accept(entry)) {
                found.add(entry);
            }
        }
        return new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                return found.iterator();
            }

            @Override
            public void close() {
                // Nothing is held.
            }
        };
    }

    @Override
    public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
        DiskPath directory = usable(path);
        SimulatedDisk disk = directory.disk();
        disk.beginWhole();
        disk.checkRoom();
        boolean isSimple = !disk.isReal(directory.path()) && attributes.length == 0 && hasParent(directory);
        if (isSimple && disk.tree().at(directory.path()) != null) {
            throw new FileAlreadyExistsException(path.toString());
        }
        if (!isSimple) {
            disk.makeReal(directory.path());
            Files.createDirectory(directory.real(), attributes);
            disk.node(directory.path().getParent());
        }
        disk.tree().created(directory.path(), new DiskDirectory());
    }

    @Override
    public void delete(Path path) throws IOException {
        DiskPath deleted = usable(path);
        SimulatedDisk disk = deleted.disk();
        disk.beginWhole();
        DiskNode node = disk.node(deleted.path());
        boolean isSimple = node instanceof DiskFile || isEmpty(node) && hasParent(deleted);
        if (disk.isReal(deleted.path()) || !isSimple) {
            disk.makeReal(deleted.path());
            Files.delete(deleted.real());
        }
        disk.tree().deleted(deleted.path());
    }

    private static boolean isEmpty(DiskNode node) {
        return node instanceof DiskDirectory directory && directory.current.isEmpty();
    }

    @Override
    public boolean deleteIfExists(Path path) throws IOException {
        DiskPath deleted = usable(path);
        boolean isReal = deleted.disk().isReal(deleted.path());
        if (!isReal && deleted.disk().tree().at(deleted.path()) == null && leadsNowhere(deleted)) {
            return false;
        }
        return super.deleteIfExists(path);
    }

    /** Whether nothing is there of what is in memory, nor anything that should be a directory and is none. */
    private static boolean leadsNowhere(DiskPath path) {
        Path parent = path.path().getParent();
        while (parent != null && path.disk().tree().at(parent) == null) {
            parent = parent.getParent();
        }
        return parent != null && path.disk().tree().at(parent) instanceof DiskDirectory;
    }

    private static boolean hasParent(DiskPath path) {
        return path.disk().tree().parent(path.path()) != null;
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        DiskPath from = usable(source);
        DiskPath to = usable(target);
        SimulatedDisk disk = from.disk();
        if (disk != to.disk()) {
            throw new UnsupportedOperationException("nothing is moved from one simulated disk to another");
        }
        disk.beginWhole();
        DiskNode moved = disk.node(from.path());
        DiskNode replaced = disk.node(to.path());
        boolean replaces = options.length > 0 && replaced instanceof DiskFile && replaced != moved;
        boolean isSimple = !disk.isReal(from.path())
                && !disk.isReal(to.path())
                && moved instanceof DiskFile
                && (replaced == null && hasParent(to) || replaces)
                && RENAMING.containsAll(Arrays.asList(options));
        if (!isSimple) {
            disk.makeReal(from.path());
            disk.makeReal(to.path());
            disk.node(to.path().getParent());
            Files.move(from.real(), to.real(), options);
        }
        if (!from.path().equals(to.path())) {
            disk.tree().renamed(from.path(), to.path());
        }
    }

    // ---------------------------------------------------------------- what is known of them

    /** What is in memory at a path, null if it is to be asked of the real file. */
    private static DiskNode inMemory(DiskPath path) throws IOException {
        if (path.disk().isReal(path.path())) {
            return null;
        }
        DiskNode node = path.disk().tree().at(path.path());
        if (node == null && leadsNowhere(path)) {
            throw new NoSuchFileException(path.toString());
        }
        return node;
    }

    private static Path real(DiskPath path) {
        path.disk().makeReal(path.path());
        return path.real();
    }

    @Override
    public boolean isSameFile(Path one, Path other) throws IOException {
        return one.equals(other)
                || one.getFileSystem() == other.getFileSystem()
                        && Files.isSameFile(real(usable(one)), real(usable(other)));
    }

    @Override
    public boolean isHidden(Path path) throws IOException {
        return Files.isHidden(real(usable(path)));
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        return new DiskStore(usable(path).disk());
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        DiskPath checked = usable(path);
        DiskNode node = inMemory(checked);
        boolean isSimple = node instanceof DiskDirectory
                || node != null && !Arrays.asList(modes).contains(AccessMode.EXECUTE);
        if (!isSimple) {
            Path real = real(checked);
            real.getFileSystem().provider().checkAccess(real, modes);
        }
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
        return Files.getFileAttributeView(real(DiskPath.of(path)), type, options);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        DiskPath asked = usable(path);
        DiskNode node = type == BasicFileAttributes.class ? inMemory(asked) : null;
        return node != null ? type.cast(DiskAttributes.of(node)) : Files.readAttributes(real(asked), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        return Files.readAttributes(real(usable(path)), attributes, options);
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
        Files.setAttribute(real(usable(path)), attribute, value, options);
    }
}
