package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.clienttests.harness.Scripts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The same sources, built in another directory, time zone and locale, give the same bytes. */
public class ReproducibleBuildTest {
    private static final long BUILD_LIMIT_SECONDS = 600;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void secondBuild_givesTheSameFiles() throws Exception {
        Path tree = folder.newFolder("another tree").toPath();
        String copy =
                "tar --exclude=target --exclude=.git --exclude=build --exclude=data -cf - . | tar -xf - -C \"$0\"";
        ReleaseArchive.run(Scripts.home(), "bash", "-c", copy, tree.toString());
        String repository = System.getProperty("localRepository");
        ProcessBuilder build = new ProcessBuilder(
                        "bash",
                        "-c",
                        "umask 022; exec mvn -q -B -pl zookeeper-assembly -am -DskipTests -Dexec.skip=true"
                                + (repository == null ? "" : " '-Dmaven.repo.local=" + repository + "'")
                                + " package")
                .directory(tree.toFile());
        build.environment().put("TZ", "Pacific/Kiritimati");
        build.environment().put("LC_ALL", "C");
        Scripts.Result result = Scripts.run(BUILD_LIMIT_SECONDS, build);
        assertEquals(result.toString(), 0, result.exitCode());
        for (Path file : List.of(ReleaseArchive.file(), ReleaseArchive.debianPackage())) {
            Path again = ReleaseArchive.directory(tree).resolve(file.getFileName());
            assertEquals(
                    file + ": first byte that differs; diffoscope shows what it belongs to",
                    -1,
                    Files.mismatch(file, again));
        }
    }
}
