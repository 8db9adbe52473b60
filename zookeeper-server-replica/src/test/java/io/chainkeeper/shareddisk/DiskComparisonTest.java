package io.chainkeeper.shareddisk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.ordering.DiskLabel;
import io.chainkeeper.ordering.SharedDiskFormat.Found;
import io.chainkeeper.shareddisk.DiskComparison.FoundDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.Test;

public class DiskComparisonTest {
    private static final long CLUSTER = 0xA1;
    private static final long OTHER = 0xB2;
    private static final List<Long> IDS = List.of(11L, 12L, 13L);

    private static FoundDisk bearing(DiskLabel label) {
        return new FoundDisk("disk" + (label.number() + 1), new Found(label, false, false, false, null), null);
    }

    private static DiskLabel label(long cluster, int number) {
        return new DiskLabel(cluster, number, IDS, 0, true);
    }

    private static List<FoundDisk> three() {
        return new ArrayList<>(
                List.of(bearing(label(CLUSTER, 0)), bearing(label(CLUSTER, 1)), bearing(label(CLUSTER, 2))));
    }

    private static DiskComparison compare(List<FoundDisk> disks) throws WrongDisksException {
        return DiskComparison.of(null, Map.of(), disks, OptionalLong.empty());
    }

    private static void refused(String message, List<FoundDisk> disks, OptionalLong known) {
        WrongDisksException refusal =
                assertThrows(WrongDisksException.class, () -> DiskComparison.of(null, Map.of(), disks, known));
        assertEquals(message, refusal.getMessage());
    }

    @Test
    public void allBearTheClusterAndTheirPlaces_allAreUsed() throws Exception {
        DiskComparison compared = compare(three());

        for (int number = 0; number < 3; number++) {
            assertNull(compared.problem(number));
        }
        assertEquals(CLUSTER, compared.newest().clusterId());
    }

    @Test
    public void oneBearsAnotherCluster_isRefused() {
        List<FoundDisk> disks = three();
        disks.set(1, bearing(label(OTHER, 1)));

        refused(
                "disk2 bears cluster 00000000000000b2, and others bear 00000000000000a1; list the disks of one cluster",
                disks,
                OptionalLong.empty());
    }

    @Test
    public void oneIsOfAnOlderGeneration_isNotUsed() throws Exception {
        List<FoundDisk> disks = three();
        List<Long> replaced = List.of(99L, 12L, 13L);
        disks.set(0, bearing(new DiskLabel(CLUSTER, 0, replaced, 1, true)));
        disks.set(1, bearing(new DiskLabel(CLUSTER, 1, replaced, 1, true)));

        DiskComparison compared = compare(disks);

        assertNull(compared.problem(0));
        assertEquals(
                "disk3 was away when another disk was replaced; let it count again: zkDisk.sh inspect --mend",
                compared.problem(2));
    }

    @Test
    public void allBearAnotherClusterThanTheDirectory_isRefused() {
        refused(
                "disk1 bears cluster 00000000000000a1, but this server's directory belongs to the disks of cluster"
                        + " 00000000000000b2; correct the list",
                three(),
                OptionalLong.of(OTHER));
    }

    @Test
    public void twoAreListedInEachOthersPlaces_isRefused() {
        List<FoundDisk> disks = three();
        disks.set(0, bearing(label(CLUSTER, 1)));
        disks.set(1, bearing(label(CLUSTER, 0)));

        refused(
                "disk2 is disk 2 of its cluster and listed as disk 1; list the disks in the order in which they were"
                        + " formatted",
                disks,
                OptionalLong.empty());
    }

    @Test
    public void someOfTheDisksAreNotListed_isRefused() {
        refused(
                "disk1 is one of 3 disks, and 1 are listed; list all disks of the cluster, and no others",
                List.of(bearing(label(CLUSTER, 0))),
                OptionalLong.empty());
    }

    @Test
    public void oneWasReplaced_itIsNotUsed_andTheOthersAre() throws Exception {
        List<FoundDisk> disks = three();
        disks.set(0, bearing(new DiskLabel(CLUSTER, 0, List.of(11L, 14L, 13L), 1, true)));
        disks.set(2, bearing(new DiskLabel(CLUSTER, 2, List.of(11L, 14L, 13L), 1, true)));

        DiskComparison compared = compare(disks);

        assertEquals(1, compared.newest().generation());
        assertNull(compared.problem(0));
        assertEquals("disk2 was replaced by another disk; list that one in its place", compared.problem(1));
        assertNull(compared.problem(2));
    }

    @Test
    public void oneCannotBeReadAndOneIsNotFilled_isRefused_asAMajorityIsNeeded() {
        List<FoundDisk> disks = three();
        disks.set(0, new FoundDisk("disk1", null, "disk1 does not answer"));
        disks.set(1, bearing(new DiskLabel(CLUSTER, 1, IDS, 0, false)));

        refused(
                "of 3 disks 1 can be used, a majority is needed. First problem: disk1 does not answer",
                disks,
                OptionalLong.empty());
    }

    @Test
    public void allAreEmpty_isRefused() {
        FoundDisk empty = new FoundDisk("disk1", new Found(null, true, false, false, null), null);

        refused(
                "these disks are empty; format them for this cluster: zkDisk.sh format",
                List.of(empty, empty, empty),
                OptionalLong.empty());
    }
}
