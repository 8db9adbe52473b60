package io.chainkeeper.main;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.ordering.ByteSlice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Random bytes that only one data directory holds, in the file {@value #FILE_NAME} beside the acceptor log. A server
 * tells them to those that it opens links to, which so know it again: nobody else can take its link's place.
 */
final class DiskIdentity {
    static final String FILE_NAME = "link-identity";

    private static final int BYTES = 16;

    private DiskIdentity() {}

    /**
     * @param orderingDirectory an existing directory
     * @return its identity, from now on
     * @throws IOException if the file cannot be read or written; the message names it
     */
    static ByteSlice of(Path orderingDirectory) throws IOException {
        Path file = orderingDirectory.resolve(FILE_NAME);
        try {
            byte[] identity = HexFormat.of()
                    .parseHex(Files.readString(file, StandardCharsets.US_ASCII).strip());
            if (identity.length == BYTES) {
                return ByteSlice.of(identity);
            }
            throw new IOException(file + " holds " + identity.length + " bytes instead of " + BYTES + "; remove it");
        } catch (NoSuchFileException e) {
            byte[] identity = new byte[BYTES];
            new SecureRandom().nextBytes(identity);
            String text = HexFormat.of().formatHex(identity) + "\n";
            AtomicFile.write(file, text.getBytes(StandardCharsets.US_ASCII));
            return ByteSlice.of(identity);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged; remove it");
        }
    }
}
