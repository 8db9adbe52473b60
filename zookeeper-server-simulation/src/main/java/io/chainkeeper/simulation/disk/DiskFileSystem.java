package io.chainkeeper.simulation.disk;

import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Set;

/** The file system of one {@link SimulatedDisk}. */
final class DiskFileSystem extends FileSystem {
    private final SimulatedDisk disk;
    private final FileSystem host = FileSystems.getDefault();
    private final DiskPath root = new DiskPath(this, host.getPath("/"));

    DiskFileSystem(SimulatedDisk disk) {
        this.disk = disk;
    }

    SimulatedDisk disk() {
        return disk;
    }

    DiskPath root() {
        return root;
    }

    @Override
    public FileSystemProvider provider() {
        return DiskProvider.INSTANCE;
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException("the file system ends with the run");
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return host.getSeparator();
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(root);
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return List.of(new DiskStore(disk));
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return host.supportedFileAttributeViews();
    }

    @Override
    public Path getPath(String first, String... more) {
        return new DiskPath(this, host.getPath(first, more));
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        PathMatcher matcher = host.getPathMatcher(syntaxAndPattern);
        return path -> matcher.matches(host.getPath(path.toString()));
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return host.getUserPrincipalLookupService();
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException("nobody watches a simulated disk");
    }
}
