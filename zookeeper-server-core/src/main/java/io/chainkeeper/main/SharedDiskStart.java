package io.chainkeeper.main;

import io.chainkeeper.config.KnownDisks;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.SharedDiskSet;
import io.chainkeeper.config.SharedDiskSettings;
import io.chainkeeper.config.StartupConfig;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.ordering.SizeLimits;
import io.chainkeeper.shareddisk.DiskSource;
import java.io.IOException;
import java.util.List;
import org.apache.jute.BinaryInputArchive;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What each start does with the shared disks, if the protocol has any. Stateless. */
final class SharedDiskStart {
    private static final Logger LOG = LoggerFactory.getLogger(SharedDiskStart.class);

    private SharedDiskStart() {}

    /**
     * Checks what depends on the size of requests.
     *
     * @param config of the server
     * @throws UserMistakeException if a request has no room on the disks
     */
    static void check(StartupConfig config) throws UserMistakeException {
        SharedDiskFormat format = config.factory().sharedDisks();
        String refusal = format == null
                ? null
                : format.refusal(
                        config.ordering().protocolSettings(),
                        config.ordering().addresses().keySet(),
                        SizeLimits.commandBytes(BinaryInputArchive.maxBuffer));
        if (refusal != null) {
            throw new UserMistakeException(Exit.INVALID_CONFIGURATION, refusal);
        }
    }

    /**
     * Looks at the disks once more, notes in the directory which ones they are, and says which cannot be used.
     *
     * @param config the ordering part of the zoo.cfg
     * @param factory the protocol
     * @return what opens the disks, none if the protocol has none
     * @throws IOException if they cannot be used; one line
     */
    static List<DiskSource> disks(OrderingConfig config, OrderingProtocolFactory factory) throws IOException {
        SharedDiskSettings settings = SharedDiskSettings.of(factory, config.protocolSettings(), "shared disks");
        if (settings == null) {
            return List.of();
        }
        KnownDisks known = KnownDisks.read(config.orderingDirectory());
        SharedDiskSet disks = SharedDiskSet.find(settings, known);
        if (known == null) {
            new KnownDisks(disks.label().clusterId()).write(config.orderingDirectory());
        }
        disks.problems().forEach(problem -> LOG.warn("A shared disk is not used: {}", problem));
        return disks.sources();
    }
}
