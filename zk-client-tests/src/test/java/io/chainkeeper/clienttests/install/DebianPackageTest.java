package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What is in the Debian package. {@link InstalledPackageTest} installs it. */
public class DebianPackageTest {
    private static final Pattern ENTRY = Pattern.compile("(\\S+) root/root +\\d+ (\\S+ \\S+) (.*)");

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path file;

    @Before
    public void findPackage() throws Exception {
        Assume.assumeTrue("there is no dpkg-deb here", ReleaseArchive.hasCommand("dpkg-deb"));
        file = ReleaseArchive.debianPackage();
    }

    private String dpkgDeb(String... arguments) throws Exception {
        String[] command = new String[arguments.length + 1];
        command[0] = "dpkg-deb";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        return ReleaseArchive.run(folder.getRoot().toPath(), command);
    }

    @Test
    public void control_saysVersionAndWhatIsNeeded() throws Exception {
        assertEquals("chainkeeper\n", dpkgDeb("-f", file.toString(), "Package"));
        assertEquals(ReleaseArchive.version() + "\n", dpkgDeb("-f", file.toString(), "Version"));
        String needed = dpkgDeb("-f", file.toString(), "Depends");
        assertTrue(needed, needed.contains("java17-runtime-headless"));
    }

    @Test
    public void checksum_isThePackages() throws Exception {
        String checked = ReleaseArchive.run(file.getParent(), "sha512sum", "-c", file.getFileName() + ".sha512");
        assertEquals(file.getFileName() + ": OK\n", checked);
    }

    @Test
    public void files_haveTheModesOfTheirKindAndTheConfigurationIsTheAdministrators() throws Exception {
        for (String line : dpkgDeb("-c", file.toString()).lines().toList()) {
            var entry = ENTRY.matcher(line);
            assertTrue(line, entry.matches());
            String mode = entry.group(1);
            String name = entry.group(3);
            if (mode.startsWith("l")) {
                assertTrue(line, name.endsWith("/conf -> /etc/chainkeeper"));
            } else {
                assertEquals(
                        line,
                        name.endsWith("/")
                                ? "drwxr-xr-x"
                                : name.endsWith(".sh") && name.contains("/bin/") ? "-rwxr-xr-x" : "-rw-r--r--",
                        mode);
            }
        }
        Path contents = unpacked();
        List<String> configuration = Files.readAllLines(contents.resolve("DEBIAN/conffiles"));
        try (var files = Files.list(contents.resolve("etc/chainkeeper"))) {
            assertEquals(
                    configuration,
                    files.map(f -> "/etc/chainkeeper/" + f.getFileName())
                            .sorted()
                            .toList());
        }
        Path doc = contents.resolve("usr/share/doc/chainkeeper");
        for (String name : List.of(
                "copyright",
                "changelog.gz",
                "NOTICE",
                "licences/LIBRARIES.txt",
                "docs/install.md",
                "monitoring/alerts.yml")) {
            assertTrue(name, Files.isRegularFile(doc.resolve(name)));
        }
        try (var jars = Files.list(contents.resolve("usr/share/chainkeeper/lib"))) {
            assertFalse(jars.anyMatch(jar -> jar.toString().matches(".*(-osx-|-windows-|simulation|benchmark).*")));
        }
    }

    private Path unpacked() throws Exception {
        Path contents = folder.getRoot().toPath().resolve("contents");
        dpkgDeb("-R", file.toString(), contents.toString());
        return contents;
    }

    /** As systemd reads it, with the script where it has been unpacked. */
    @Test
    public void unit_isOneThatSystemdTakes() throws Exception {
        Assume.assumeTrue("there is no systemd-analyze here", ReleaseArchive.hasCommand("systemd-analyze"));
        Path contents = unpacked();
        String unit = Files.readString(contents.resolve("usr/lib/systemd/system/chainkeeper.service"));
        Path copy = folder.getRoot().toPath().resolve("chainkeeper.service");
        String script = "/usr/share/chainkeeper/bin/zkServer.sh";
        assertTrue(unit, unit.contains("ExecStart=" + script + " "));
        Files.writeString(copy, unit.replace(script, contents + script));
        ProcessBuilder verify = new ProcessBuilder("systemd-analyze", "verify", "--man=no", copy.toString());
        Scripts.Result result = Scripts.run(60, verify.directory(folder.getRoot()));
        assertEquals(result.toString(), 0, result.exitCode());
        // of other units of this machine it says what it likes
        assertFalse(result.toString(), result.errors().contains("chainkeeper.service:"));
    }

    /** Disk Paxos orders on the block devices of any paths that zoo.cfg names. */
    @Test
    public void unit_hidesNoDisks() throws Exception {
        List<String> unit = Files.readAllLines(unpacked().resolve("usr/lib/systemd/system/chainkeeper.service"));
        assertTrue(unit.toString(), unit.contains("User=chainkeeper"));
        assertEquals(
                List.of(),
                unit.stream()
                        .filter(line -> line.matches("(PrivateDevices|DevicePolicy|DeviceAllow)=.*"))
                        .toList());
    }

    /** A shell that is not bash runs them, and a mistake would leave a package half installed. */
    @Test
    public void maintainerScripts_areReadByTheShell() throws Exception {
        Path control = unpacked().resolve("DEBIAN");
        for (String script : List.of("postinst", "prerm", "postrm")) {
            ReleaseArchive.run(control, "sh", "-n", script);
            assertTrue(script, firstLines(control.resolve(script)).contains("set -e"));
        }
    }

    /** dpkg does not bring back what the administrator has deleted. */
    @Test
    public void upgradeWithoutZooCfg_isConfigured() throws Exception {
        Path system = folder.newFolder("system").toPath();
        Path configuration = Files.createDirectories(system.resolve("etc/chainkeeper"));
        Path commands = folder.newFolder("commands").toPath();
        for (String command : List.of("getent", "install", "deb-systemd-helper")) {
            stub(commands, command, "exit 0");
        }
        // as the real ones, which need root and the user
        stub(commands, "chown", "[ \"$1\" != -h ] || shift; shift; ls -d \"$@\" >>'" + system + "/owned'");
        stub(commands, "chmod", "shift; ls -d \"$@\"");
        String script =
                Files.readString(unpacked().resolve("DEBIAN/postinst")).replaceAll("/(etc|var|run)/", system + "/$1/");
        Path postinst = Files.writeString(folder.newFile("postinst").toPath(), script);
        ProcessBuilder upgrade = new ProcessBuilder("sh", postinst.toString(), "configure", "0.2.0");
        upgrade.environment().merge("PATH", commands.toString(), (path, first) -> first + ":" + path);

        Scripts.Result without = Scripts.run(60, upgrade.directory(folder.getRoot()));
        assertEquals(without.toString(), 0, without.exitCode());
        assertEquals(List.of(configuration.toString()), Files.readAllLines(system.resolve("owned")));

        Path file = Files.createFile(configuration.resolve("zoo.cfg"));
        Scripts.Result with = Scripts.run(60, upgrade);
        assertEquals(with.toString(), 0, with.exitCode());
        assertTrue(Files.readAllLines(system.resolve("owned")).contains(file.toString()));
    }

    private static void stub(Path commands, String name, String script) throws IOException {
        Path command = Files.writeString(commands.resolve(name), "#!/bin/sh\n" + script + "\n");
        assertTrue(command.toFile().setExecutable(true));
    }

    private static List<String> firstLines(Path script) throws IOException {
        return Files.readAllLines(script).subList(0, 2);
    }
}
