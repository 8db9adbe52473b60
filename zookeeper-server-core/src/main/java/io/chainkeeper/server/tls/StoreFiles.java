package io.chainkeeper.server.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.zookeeper.common.ZKConfig;

/** Tells whether key and trust stores, or the files with their passwords, have changed. Not thread-safe. */
final class StoreFiles {
    private final List<Path> paths;
    private List<String> seen = List.of();

    /**
     * @param config what names the files
     * @param keys of the properties that do; those that are not set are left out
     */
    StoreFiles(ZKConfig config, String... keys) {
        this.paths = Stream.of(keys)
                .map(config::getProperty)
                .filter(Objects::nonNull)
                .filter(location -> !location.isEmpty())
                .map(Path::of)
                .toList();
    }

    /** @return whether a file is another one, or has another time or size, than at the last call */
    boolean changed() {
        List<String> now = new ArrayList<>();
        for (Path path : paths) {
            now.add(stamp(path));
        }
        boolean changed = !now.equals(seen);
        seen = now;
        return changed;
    }

    private static String stamp(Path path) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return attributes.lastModifiedTime() + " " + attributes.size() + " " + attributes.fileKey();
        } catch (NoSuchFileException e) {
            return "absent";
        } catch (IOException e) {
            return "unreadable";
        }
    }

    @Override
    public String toString() {
        return paths.toString();
    }
}
