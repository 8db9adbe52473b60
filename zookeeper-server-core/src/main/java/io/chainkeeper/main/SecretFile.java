package io.chainkeeper.main;

import io.chainkeeper.config.LinkSecret;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.PeerSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared secret of the links, read anew when its file has changed. A file that cannot be used leaves the secret as
 * it was, the log says so once, and it is tried again each time.
 */
final class SecretFile implements PeerSecret {
    private static final Logger LOG = LoggerFactory.getLogger(SecretFile.class);

    private final LinkSecret settings;
    private List<ByteSlice> secrets;
    private String stamp;
    private String lastFailure;

    /**
     * @param settings where it is
     * @throws IOException if it cannot be used; one line
     */
    SecretFile(LinkSecret settings) throws IOException {
        this.settings = settings;
        this.stamp = stamp();
        this.secrets = settings.read();
        warnIfOthersCanRead(settings.file());
    }

    @Override
    public synchronized List<ByteSlice> current() {
        String found = stamp();
        if (!found.equals(stamp)) {
            try {
                secrets = settings.read();
                stamp = found; // Only now: a file that could not be read may look the same when it can be.
                LOG.info("The secrets of {} have been read anew: {}", settings.file(), secrets.size());
            } catch (IOException e) {
                warnOnce(found, e.getMessage());
            }
        }
        return secrets;
    }

    private void warnOnce(String state, String reason) {
        String failure = state + reason;
        if (!failure.equals(lastFailure)) {
            lastFailure = failure;
            LOG.warn("The secret of the links stays as it was: {}", reason);
        }
    }

    @Override
    public boolean isRequired() {
        return settings.required();
    }

    /** Tells one state of the file from the next, also where a link to it was turned. */
    private String stamp() {
        try {
            BasicFileAttributes of = Files.readAttributes(settings.file(), BasicFileAttributes.class);
            return of.lastModifiedTime() + " " + of.size() + " " + of.fileKey();
        } catch (IOException e) {
            return "none";
        }
    }

    private static void warnIfOthersCanRead(Path file) throws IOException {
        Set<PosixFilePermission> permissions;
        try {
            permissions = Files.readAttributes(file, PosixFileAttributes.class).permissions();
        } catch (UnsupportedOperationException e) {
            return; // no such permissions on this platform
        }
        if (permissions.contains(PosixFilePermission.OTHERS_READ)) {
            LOG.warn("Every user of this machine can read the secret of the links: chmod 600 {}", file);
        }
    }
}
