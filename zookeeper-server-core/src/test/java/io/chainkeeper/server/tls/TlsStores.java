package io.chainkeeper.server.tls;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.common.ZKConfig;

/** Key stores made by the running JDK's keytool in a temporary directory. */
public final class TlsStores {
    /** Password of all stores. */
    public static final String PASSWORD = "not-a-secret";

    private static final String PREFIX = "zookeeper.ssl.quorum.";
    private static final long KEYTOOL_LIMIT_SECONDS = 60;

    private final Path directory;

    /** @param directory where the stores are put */
    public TlsStores(Path directory) {
        this.directory = directory;
    }

    /**
     * Makes a key and a certificate that it signs itself.
     *
     * @param name of the identity
     * @param alternativeNames such as {@code ip:127.0.0.1}
     */
    public void create(String name, String alternativeNames)
            throws IOException, InterruptedException, GeneralSecurityException {
        keytool(
                "-genkeypair",
                "-alias",
                name,
                "-dname",
                "CN=" + name,
                "-ext",
                "san=" + alternativeNames,
                "-keyalg",
                "EC",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                keyStore(name).toString(),
                "-storepass",
                PASSWORD);
        Files.writeString(
                certificate(name),
                pem("CERTIFICATE", open(name).getCertificate(name).getEncoded()));
    }

    private Path keyStore(String name) {
        return directory.resolve(name + ".p12");
    }

    private Path certificate(String name) {
        return directory.resolve(name + ".cert");
    }

    /**
     * @param identity whose key is used
     * @param trusted whose certificates are accepted
     * @return what a zoo.cfg with these stores becomes
     */
    public ZKConfig config(String identity, String... trusted) throws IOException {
        StringBuilder certificates = new StringBuilder();
        for (String name : trusted) {
            certificates.append(Files.readString(certificate(name)));
        }
        Path trustStore = Files.createTempFile(directory, "trust", ".pem");
        Files.writeString(trustStore, certificates);
        ZKConfig config = new ZKConfig();
        config.setProperty(PREFIX + "keyStore.location", keyStore(identity).toString());
        config.setProperty(PREFIX + "keyStore.password", PASSWORD);
        config.setProperty(PREFIX + "trustStore.location", trustStore.toString());
        return config;
    }

    private static String pem(String type, byte[] content) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n";
    }

    private KeyStore open(String name) throws IOException, GeneralSecurityException {
        return KeyStore.getInstance(keyStore(name).toFile(), PASSWORD.toCharArray());
    }

    /**
     * Writes an identity as a JKS store.
     *
     * @param name of the identity
     * @param file to be written
     */
    public void writeJks(String name, Path file) throws IOException, GeneralSecurityException {
        KeyStore from = open(name);
        KeyStore to = KeyStore.getInstance("JKS");
        to.load(null, null);
        char[] password = PASSWORD.toCharArray();
        to.setKeyEntry(name, from.getKey(name, password), password, from.getCertificateChain(name));
        try (OutputStream out = Files.newOutputStream(file)) {
            to.store(out, password);
        }
    }

    /**
     * Writes an identity as a PEM file with its certificate and its key, which is not encrypted.
     *
     * @param name of the identity
     * @param file to be written
     */
    public void writePem(String name, Path file) throws IOException, GeneralSecurityException {
        byte[] key = open(name).getKey(name, PASSWORD.toCharArray()).getEncoded();
        Files.writeString(file, Files.readString(certificate(name)) + pem("PRIVATE KEY", key));
    }

    private static void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(KEYTOOL_LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("keytool failed: " + output);
        }
    }
}
