package io.chainkeeper.ordering;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a protocol writes on shared disks, for its host and for tools, which know nothing of that: pure functions of
 * settings and blocks. Stateless; safe for use by any thread.
 *
 * <p>Settings are the protocol's keys as the user has set them, checked by its {@link SettingKeys}.
 */
public interface SharedDiskFormat {
    /**
     * The blocks of one disk, for one caller. Whoever implements it throws an unchecked exception of its own if
     * something cannot be read or written; no method here catches it.
     */
    interface Blocks {
        /**
         * @param offset first byte, of a block
         * @param length of whole blocks
         * @return the bytes
         */
        ByteSlice read(long offset, int length);

        /**
         * Writes; they are on stable storage when this returns.
         *
         * @param offset first byte, of a block
         * @param bytes whole blocks
         */
        void write(long offset, ByteSlice bytes);
    }

    /**
     * What was found where labels are.
     *
     * @param label null if there is none that can be read
     * @param isBlank whether there are only zeros
     * @param firstIsDamaged whether the first copy of the label is not what the second one says
     * @param secondIsDamaged whether the second copy is not what the first one says
     * @param problem null, or why the disk cannot be used with the settings, to follow its name; a part of a line
     */
    record Found(DiskLabel label, boolean isBlank, boolean firstIsDamaged, boolean secondIsDamaged, String problem) {}

    /** @return the key of a zoo.cfg that lists the disks */
    String pathsKey();

    /** @return the key of a zoo.cfg that says, by {@code true}, that all servers run on one machine */
    String oneMachineKey();

    /**
     * Checks what {@link SettingKeys} cannot.
     *
     * @param settings of the protocol
     * @param servers ids of all servers of the ensemble
     * @param commandBytes the largest command that this replica may propose
     * @return null, or what is wrong, with the key and what to give instead; one line
     */
    String refusal(Map<String, String> settings, Set<Integer> servers, int commandBytes);

    /**
     * @param settings of the protocol
     * @return bytes that each disk must have
     */
    long diskBytes(Map<String, String> settings);

    /**
     * Reads a disk's label.
     *
     * @param disk at least {@link #diskBytes} long
     * @param settings of the protocol
     * @return what is there
     */
    Found find(Blocks disk, Map<String, String> settings);

    /**
     * Looks whether a server has ever written to a disk.
     *
     * @param disk a disk that bears a label
     * @param settings the protocol's keys that the user has set, checked
     * @param replicaId the server
     * @return whether it has, or what it has written is damaged
     */
    boolean isUsedBy(Blocks disk, Map<String, String> settings, int replicaId);

    /**
     * Writes the label anew where one copy is damaged. Not while a disk is being replaced.
     *
     * @param disk one of which {@link #find} has found the label
     * @param settings of the protocol
     */
    void mend(Blocks disk, Map<String, String> settings);

    /**
     * Lets a disk count again that was away when another one was replaced: what it holds is its own, and all there.
     *
     * @param disk one of which {@link #find} has found the label
     * @param settings of the protocol
     * @param label that another disk bears, of a later generation, with the same id of this disk
     */
    void raise(Blocks disk, Map<String, String> settings, DiskLabel label);

    /**
     * Makes an empty disk one of a cluster.
     *
     * @param disk at least {@link #diskBytes} long
     * @param settings of the protocol
     * @param label what it is to say
     */
    void format(Blocks disk, Map<String, String> settings, DiskLabel label);

    /**
     * Says what is on a disk.
     *
     * @param disk one of which {@link #find} has found the label
     * @param settings of the protocol
     * @param lines take what there is to say, line by line
     * @return how much damage was found, each with its place among the lines
     */
    int inspect(Blocks disk, Map<String, String> settings, Consumer<String> lines);

    /**
     * Says that a disk is replaced from now on: whatever counted the old one counts no more when this has returned.
     *
     * @param others disks of the cluster, but for the one that is replaced: {@link #copiesNeeded} at least
     * @param settings of the protocol
     * @param label of the new generation; its number is that of the disk that is replaced
     */
    void fence(List<Blocks> others, Map<String, String> settings, DiskLabel label);

    /**
     * @param disks how many a cluster has
     * @return of how many other disks a new one has to be filled, so that it lacks nothing that may be decided
     */
    static int copiesNeeded(int disks) {
        return disks / 2 + 1;
    }

    /**
     * Fills a new disk with what others hold, and makes it count. After {@link #fence}.
     *
     * @param target an empty disk, or one that was not filled to the end
     * @param others those that were fenced, all of them
     * @param settings of the protocol
     * @param label as for {@link #fence}
     * @return bytes of rings that were copied
     * @throws UnreadableDiskException if one of the others is damaged where that matters
     */
    long fill(Blocks target, List<Blocks> others, Map<String, String> settings, DiskLabel label);
}
