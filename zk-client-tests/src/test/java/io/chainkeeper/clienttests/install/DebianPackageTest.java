package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

    /** What the administrator has deleted, given to others or opened stays so; dpkg does not bring it back either. */
    @Test
    public void upgrade_leavesTheConfigurationAsItIs() throws Exception {
        MaintainerScript postinst = new MaintainerScript("postinst");
        Path configuration = Files.createDirectories(postinst.system().resolve("etc/chainkeeper"));
        postinst.succeeds("configure", "0.2.0");
        Files.createFile(configuration.resolve("zoo.cfg"));
        postinst.succeeds("configure", "0.2.0");
        assertEquals(List.of(), postinst.given());
    }

    @Test
    public void firstInstallation_givesTheServerItsConfigurationUnlessTheAdministratorHasSaidOtherwise()
            throws Exception {
        MaintainerScript postinst = new MaintainerScript("postinst");
        Path configuration = Files.createDirectories(postinst.system().resolve("etc/chainkeeper"));
        Path file = Files.createFile(configuration.resolve("zoo.cfg"));
        postinst.succeeds("configure", "");
        assertEquals(
                List.of(
                        "chown root:chainkeeper " + configuration,
                        "chmod 1775 " + configuration,
                        "chown -h chainkeeper:chainkeeper " + file),
                postinst.given());

        MaintainerScript overridden = new MaintainerScript("postinst");
        configuration = Files.createDirectories(overridden.system().resolve("etc/chainkeeper"));
        Files.createFile(configuration.resolve("zoo.cfg"));
        overridden.command("dpkg-statoverride", "exit 0");
        overridden.succeeds("configure", "");
        assertEquals(List.of(), overridden.given());
    }

    /** The data have a disk of their own, often; a directory that something is mounted on cannot be removed. */
    @Test
    public void purgeWhereTheDataIsMounted_emptiesItAndSucceeds() throws Exception {
        MaintainerScript postrm = new MaintainerScript("postrm");
        Path data = Files.createDirectories(postrm.system().resolve("var/lib/chainkeeper"));
        Path logs = Files.createDirectories(postrm.system().resolve("var/log/chainkeeper"));
        Files.createFile(logs.resolve("a.log"));
        // a name space of its own, so nothing stays mounted
        List<String> mounted = List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs data \"$0\" && mkdir \"$0/ordering\" && touch \"$0/ordering/log\" || exit 99;"
                        + " \"$@\" || exit; find \"$0\"",
                data.toString());
        Assume.assumeTrue("there is no unshare here", ReleaseArchive.hasCommand("unshare"));
        Assume.assumeTrue("only root can mount", ReleaseArchive.isRoot());
        Scripts.Result result = postrm.run(mounted, "purge");
        Assume.assumeTrue("nothing can be mounted here: " + result, result.exitCode() != 99);
        assertEquals(result.toString(), 0, result.exitCode());
        assertEquals("all of it is empty", data + "\n", result.output());
        assertTrue(result.toString(), result.errors().contains(data + " is empty, but stays"));
        assertFalse(Files.exists(logs));
    }

    /** One of the package's scripts, in a directory in the place of the system, with what changes one as stubs. */
    private final class MaintainerScript {
        private final Path system = folder.newFolder().toPath();
        private final Path commands = folder.newFolder().toPath();
        private final Path script;

        MaintainerScript(String name) throws Exception {
            script = system.resolve(name);
            Path control = Scripts.home().resolve("zookeeper-assembly/src/deb/control");
            Files.writeString(
                    script, Files.readString(control.resolve(name)).replaceAll("/(etc|var|run)/", system + "/$1/"));
            for (String command : List.of("getent", "install", "deb-systemd-helper", "deluser")) {
                command(command, "exit 0");
            }
            command("dpkg-statoverride", "exit 1");
            for (String command : List.of("chown", "chmod")) {
                command(command, "echo \"" + command + " $*\" >>'" + system + "/given'");
            }
        }

        Path system() {
            return system;
        }

        void command(String name, String text) throws IOException {
            Path command = Files.writeString(commands.resolve(name), "#!/bin/sh\n" + text + "\n");
            assertTrue(command.toFile().setExecutable(true));
        }

        /** Returns what was given to whom. */
        List<String> given() throws IOException {
            Path given = system.resolve("given");
            return Files.exists(given) ? Files.readAllLines(given) : List.of();
        }

        Scripts.Result succeeds(String... arguments) throws Exception {
            Scripts.Result result = run(List.of(), arguments);
            assertEquals(result.toString(), 0, result.exitCode());
            return result;
        }

        /** Runs the script by the words in front of it. */
        Scripts.Result run(List<String> before, String... arguments) throws Exception {
            List<String> command = new ArrayList<>(before);
            command.addAll(List.of("sh", script.toString()));
            command.addAll(List.of(arguments));
            ProcessBuilder builder = new ProcessBuilder(command).directory(folder.getRoot());
            builder.environment().merge("PATH", commands.toString(), (path, first) -> first + ":" + path);
            return Scripts.run(60, builder);
        }
    }

    private static List<String> firstLines(Path script) throws IOException {
        return Files.readAllLines(script).subList(0, 2);
    }
}
