package io.chainkeeper.server.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
    public void create(String name, String alternativeNames) throws IOException, InterruptedException {
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
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                name,
                "-keystore",
                keyStore(name).toString(),
                "-storepass",
                PASSWORD,
                "-file",
                certificate(name).toString());
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
