package io.chainkeeper.simulation.disk;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;

/** A path on a {@link SimulatedDisk}: does with names what a path of the default file system does. */
final class DiskPath implements Path {
    private final DiskFileSystem files;
    private final Path path;

    /** What {@link #path()} found. */
    private Path absolute;

    /**
     * @param files where it is
     * @param path its names, of the default file system
     */
    DiskPath(DiskFileSystem files, Path path) {
        this.files = files;
        this.path = path;
    }

    static DiskPath of(Path path) {
        if (path instanceof DiskPath ofDisk) {
            return ofDisk;
        }
        throw new ProviderMismatchException(path + " is not on a simulated disk");
    }

    SimulatedDisk disk() {
        return files.disk();
    }

    /** Absolute and without detours. */
    Path path() {
        if (absolute == null) {
            absolute = files.root().path.resolve(path).normalize();
        }
        return absolute;
    }

    /** Where its content is, if files are real ones. */
    Path real() {
        return files.disk().real(path());
    }

    private DiskPath with(Path other) {
        return other == null ? null : new DiskPath(files, other);
    }

    @Override
    public FileSystem getFileSystem() {
        return files;
    }

    @Override
    public boolean isAbsolute() {
        return path.isAbsolute();
    }

    @Override
    public Path getRoot() {
        return with(path.getRoot());
    }

    @Override
    public Path getFileName() {
        return with(path.getFileName());
    }

    @Override
    public Path getParent() {
        return with(path.getParent());
    }

    @Override
    public int getNameCount() {
        return path.getNameCount();
    }

    @Override
    public Path getName(int index) {
        return with(path.getName(index));
    }

    @Override
    public Path subpath(int beginIndex, int endIndex) {
        return with(path.subpath(beginIndex, endIndex));
    }

    @Override
    public boolean startsWith(Path other) {
        return other instanceof DiskPath ofDisk && ofDisk.files == files && path.startsWith(ofDisk.path);
    }

    @Override
    public boolean endsWith(Path other) {
        return other instanceof DiskPath ofDisk && ofDisk.files == files && path.endsWith(ofDisk.path);
    }

    @Override
    public Path normalize() {
        return with(path.normalize());
    }

    @Override
    public Path resolve(Path other) {
        return with(path.resolve(of(other).path));
    }

    @Override
    public Path relativize(Path other) {
        return with(path.relativize(of(other).path));
    }

    @Override
    public URI toUri() {
        return URI.create(DiskProvider.SCHEME + "://" + path());
    }

    @Override
    public Path toAbsolutePath() {
        return isAbsolute() ? this : with(files.root().path.resolve(path));
    }

    @Override
    public Path toRealPath(LinkOption... options) throws IOException {
        files.provider().checkAccess(this);
        return with(path());
    }

    /** The real file. Who works on it does so unwatched: what it writes counts as not forced. */
    @Override
    public File toFile() {
        files.disk().makeReal(path());
        return real().toFile();
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
        throw new UnsupportedOperationException("nobody watches a simulated disk");
    }

    @Override
    public int compareTo(Path other) {
        return path.compareTo(of(other).path);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DiskPath ofDisk && ofDisk.files == files && ofDisk.path.equals(path);
    }

    @Override
    public int hashCode() {
        return path.hashCode();
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
