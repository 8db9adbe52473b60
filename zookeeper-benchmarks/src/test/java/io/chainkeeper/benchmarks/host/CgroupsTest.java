package io.chainkeeper.benchmarks.host;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Which control groups are found, and what is written into their files; on directories of the kernel's form. */
public final class CgroupsTest {
    private static final long PERIOD_MICROS = 10_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path proc;
    private Path mounts;

    @Before
    public void createDirectories() throws IOException {
        proc = folder.newFolder("proc").toPath();
        mounts = folder.newFolder("cgroup").toPath();
        Files.createDirectory(proc.resolve("self"));
    }

    private void mount(String... lines) throws IOException {
        Files.write(proc.resolve("mounts"), List.of(lines));
    }

    private void member(String... lines) throws IOException {
        Files.write(proc.resolve("self/cgroup"), List.of(lines));
    }

    private String line(String type, String directory, String options) throws IOException {
        Files.createDirectories(mounts.resolve(directory));
        return type + " " + mounts.resolve(directory) + " " + type + " rw," + options + " 0 0";
    }

    private static String text(Path directory, String file) throws IOException {
        return Files.readString(directory.resolve(file)).trim();
    }

    @Test
    public void versionOneWithSeparateAccounting_bothHierarchiesAreUsed() throws IOException {
        mount("proc /proc proc rw 0 0", line("cgroup", "cpu", "cpu"), line("cgroup", "cpuacct", "cpuacct"));
        member("2:cpuacct:/", "1:cpu:/");
        CpuControl.Group group = Cgroups.mounted(proc, PERIOD_MICROS).create("one");
        Path cpu = mounts.resolve("cpu/one");
        Path accounting = mounts.resolve("cpuacct/one");
        assertEquals(List.of(cpu.resolve("cgroup.procs"), accounting.resolve("cgroup.procs")), group.processFiles());
        group.cap(0.2);
        assertEquals("10000", text(cpu, "cpu.cfs_period_us"));
        assertEquals("2000", text(cpu, "cpu.cfs_quota_us"));
        group.cap(0);
        assertEquals("-1", text(cpu, "cpu.cfs_quota_us"));
        Files.writeString(accounting.resolve("cpuacct.usage"), "5000999\n");
        assertEquals(OptionalLong.of(5000), group.cpuMicros());
    }

    @Test
    public void versionOneWithCommonHierarchy_oneDirectoryIsMade() throws IOException {
        mount(line("cgroup", "cpu,cpuacct", "cpu,cpuacct"));
        member("1:cpu,cpuacct:/");
        CpuControl.Group group = Cgroups.mounted(proc, PERIOD_MICROS).create("one");
        assertEquals(List.of(mounts.resolve("cpu,cpuacct/one/cgroup.procs")), group.processFiles());
        Files.writeString(mounts.resolve("cpu,cpuacct/one/cpuacct.usage"), "7000\n");
        assertEquals(OptionalLong.of(7), group.cpuMicros());
    }

    @Test
    public void versionOneWithoutAccounting_usageIsUnknown() throws IOException {
        mount(line("cgroup", "cpu", "cpu"));
        member("1:cpu:/");
        assertEquals(
                OptionalLong.empty(),
                Cgroups.mounted(proc, PERIOD_MICROS).create("one").cpuMicros());
    }

    @Test
    public void processIsInGroupBelowMount_newGroupLiesThere() throws IOException {
        mount(line("cgroup", "cpu", "cpu"));
        Files.createDirectories(mounts.resolve("cpu/user/session"));
        member("1:cpu:/user/session");
        Cgroups.mounted(proc, PERIOD_MICROS).create("one");
        assertTrue(Files.isDirectory(mounts.resolve("cpu/user/session/one")));
    }

    @Test
    public void groupOfProcessIsNotVisible_newGroupLiesAtMount() throws IOException {
        mount(line("cgroup", "cpu", "cpu"));
        member("1:cpu:/docker/0123456789");
        Cgroups.mounted(proc, PERIOD_MICROS).create("one");
        assertTrue(Files.isDirectory(mounts.resolve("cpu/one")));
    }

    @Test
    public void quotaWouldBeBelowAMillisecond_periodGrows() throws IOException {
        mount(line("cgroup", "cpu", "cpu"));
        member("1:cpu:/");
        Cgroups.mounted(proc, PERIOD_MICROS).create("one").cap(0.05);
        assertEquals("20000", text(mounts.resolve("cpu/one"), "cpu.cfs_period_us"));
        assertEquals("1000", text(mounts.resolve("cpu/one"), "cpu.cfs_quota_us"));
    }

    @Test
    public void versionTwo_controllerIsEnabledAndQuotaSet() throws IOException {
        mount(line("cgroup2", "unified", "nsdelegate"));
        Path root = mounts.resolve("unified");
        Files.writeString(root.resolve("cgroup.controllers"), "cpuset cpu io memory\n");
        Files.writeString(root.resolve("cgroup.subtree_control"), "memory\n");
        CpuControl control = Cgroups.mounted(proc, PERIOD_MICROS);
        assertEquals("+cpu", text(root, "cgroup.subtree_control"));
        CpuControl.Group group = control.create("one");
        group.cap(0.5);
        assertEquals("5000 10000", text(root.resolve("one"), "cpu.max"));
        group.cap(0);
        assertEquals("max 10000", text(root.resolve("one"), "cpu.max"));
        Files.writeString(root.resolve("one/cpu.stat"), "usage_usec 123\nuser_usec 100\n");
        assertEquals(OptionalLong.of(123), group.cpuMicros());
    }

    @Test
    public void versionTwoWithoutCpuController_saysSo() throws IOException {
        mount(line("cgroup2", "unified", "nsdelegate"));
        Files.writeString(mounts.resolve("unified/cgroup.controllers"), "memory\n");
        Files.writeString(mounts.resolve("unified/cgroup.subtree_control"), "\n");
        CpuControl control = Cgroups.detect(proc, PERIOD_MICROS, "probe");
        assertFalse(control.canCap());
        assertTrue(control.description(), control.description().contains("does not offer the controller cpu"));
    }

    @Test
    public void bothVersionsMounted_theOneWithCpuControllerIsUsed() throws IOException {
        mount(line("cgroup2", "unified", "nsdelegate"), line("cgroup", "cpu", "cpu"));
        member("1:cpu:/", "0::/");
        assertTrue(Cgroups.mounted(proc, PERIOD_MICROS).description().startsWith("cgroup v1"));
    }

    @Test
    public void nothingMounted_runsAreUncapped() throws IOException {
        mount("proc /proc proc rw 0 0");
        CpuControl control = Cgroups.detect(proc, PERIOD_MICROS, "probe");
        assertFalse(control.canCap());
        CpuControl.Group group = control.create("one");
        group.cap(0);
        assertEquals(List.of(), group.processFiles());
        assertThrows(IllegalStateException.class, () -> group.cap(0.2));
        group.close();
    }

    @Test
    public void groupCannotBeCreated_runsAreUncapped() throws IOException {
        mount("cgroup " + mounts.resolve("absent") + " cgroup rw,cpu 0 0");
        assertFalse(Cgroups.detect(proc, PERIOD_MICROS, "probe").canCap());
    }

    @Test
    public void groupIsClosed_directoriesAreGone() throws IOException {
        mount(line("cgroup", "cpu", "cpu"), line("cgroup", "cpuacct", "cpuacct"));
        CpuControl.Group group = Cgroups.mounted(proc, PERIOD_MICROS).create("one");
        group.close();
        assertFalse(Files.exists(mounts.resolve("cpu/one")));
        assertFalse(Files.exists(mounts.resolve("cpuacct/one")));
    }
}
