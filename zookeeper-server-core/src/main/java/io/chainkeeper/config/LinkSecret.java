package io.chainkeeper.config;

import io.chainkeeper.ordering.ByteSlice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The secret that servers share, which lets them tell each other from strangers.
 *
 * @param file {@code ordering.secretFile}: one secret to a line, at most two
 * @param required {@code ordering.secretRequired}: whether servers that do not know one are refused
 */
public record LinkSecret(Path file, boolean required) {
    /** Names the file. */
    static final String FILE = "ordering.secretFile";

    /** For as long as the servers are given the file one after the other. */
    static final String REQUIRED = "ordering.secretRequired";

    /** Shorter ones can be guessed from what goes over the wire. */
    static final int MIN_BYTES = 16;

    /** The one that is and the one that will be. */
    static final int MAX_SECRETS = 2;

    private static final int MAX_FILE_BYTES = 4096;

    static LinkSecret parse(SettingsFile zooCfg) throws UserMistakeException {
        Optional<SettingsFile.Entry> file = zooCfg.find(FILE);
        Optional<SettingsFile.Entry> required = zooCfg.find(REQUIRED);
        if (required.isPresent() && !required.get().value().matches("true|false")) {
            throw UserMistakeException.inConfiguration("%s: write true or false", zooCfg.at(required.get()));
        }
        if (file.isEmpty()) {
            if (required.isPresent()) {
                throw UserMistakeException.inConfiguration(
                        "%s: there is no secret; set %s as well, or remove it", zooCfg.at(required.get()), FILE);
            }
            return null;
        }
        try {
            LinkSecret secret = new LinkSecret(
                    Path.of(file.get().value()),
                    required.map(entry -> Boolean.parseBoolean(entry.value())).orElse(true));
            secret.read();
            return secret;
        } catch (IOException | InvalidPathException e) {
            throw UserMistakeException.inConfiguration("%s: %s", zooCfg.at(file.get()), e.getMessage());
        }
    }

    /**
     * Reads the file.
     *
     * @return one secret or two
     * @throws IOException if it cannot be read or holds anything else; the message, one line, names the file and says
     *     what to do, and nothing of what it holds
     */
    public List<ByteSlice> read() throws IOException {
        byte[] content;
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new IOException("it has more than " + MAX_FILE_BYTES + " bytes");
            }
            content = Files.readAllBytes(file);
        } catch (IOException e) {
            throw new IOException("the secret in " + file + " cannot be read (" + e.getMessage()
                    + "); let the server's user read it, or correct " + FILE);
        }
        List<ByteSlice> secrets = new ArrayList<>();
        for (String line : text(content).lines().toList()) {
            byte[] secret = line.strip().getBytes(StandardCharsets.UTF_8);
            if (secret.length > 0 && secret.length < MIN_BYTES) {
                throw new IOException(file + " holds a secret of " + secret.length + " bytes; write at least "
                        + MIN_BYTES + " into the line, for instance what 'openssl rand -hex 32' prints");
            }
            if (secret.length > 0) {
                secrets.add(ByteSlice.of(secret));
            }
        }
        if (secrets.isEmpty() || secrets.size() > MAX_SECRETS) {
            throw new IOException(
                    file + " holds " + secrets.size() + " secrets; write one to a line, one or two of them");
        }
        return List.copyOf(secrets);
    }

    /** Bytes that are no text would all be read as the same character: a secret that is easily guessed. */
    private String text(byte[] content) throws IOException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IOException(file + " holds bytes that are no UTF-8 text; write a secret as text into it, for"
                    + " instance what 'openssl rand -hex 32' prints");
        }
    }
}
