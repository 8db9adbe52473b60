package io.chainkeeper.config;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.shareddisk.DiskPaths;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a zoo.cfg says of shared disks. Nothing of this looks at a disk.
 *
 * @param format what lies on them
 * @param protocolSettings the protocol's keys that the file sets, checked
 * @param paths of the disks, in their order, an odd number
 * @param oneMachine whether all servers run on this machine
 * @param where the list stands and what it says, as the beginning of a message
 */
public record SharedDiskSettings(
        SharedDiskFormat format,
        Map<String, String> protocolSettings,
        List<Path> paths,
        boolean oneMachine,
        String where) {
    /**
     * Reads the file of a server, running or not, for a command about its disks.
     *
     * @param zooCfg the zoo.cfg
     * @param factories the protocols that there are
     * @return the settings
     * @throws UserMistakeException if the file is wrong, or has no disks
     */
    public static SharedDiskSettings read(Path zooCfg, Iterable<OrderingProtocolFactory> factories)
            throws UserMistakeException {
        SortedMap<String, OrderingProtocolFactory> byName = new TreeMap<>();
        factories.forEach(factory -> byName.put(factory.name(), factory));
        SettingsFile file = SettingsFile.read(zooCfg);
        OrderingSettings settings =
                OrderingSettings.parse(file, byName, EnsembleLines.countParticipants(EnsembleLines.locate(file)));
        SharedDiskSettings disks = of(file, settings.factory(), settings.protocolSettings());
        if (disks == null) {
            throw UserMistakeException.inConfiguration(
                    "%s: ordering.protocol=%s has no shared disks; give the zoo.cfg of a server that has",
                    zooCfg, settings.protocol());
        }
        return disks;
    }

    /** Null if the protocol has no disks. */
    static SharedDiskSettings of(
            SettingsFile file, OrderingProtocolFactory factory, Map<String, String> protocolSettings)
            throws UserMistakeException {
        SharedDiskFormat format = factory == null ? null : factory.sharedDisks();
        if (format == null) {
            return null;
        }
        SettingsFile.Entry entry = file.find(format.pathsKey()).orElse(null);
        if (entry == null) {
            throw UserMistakeException.inConfiguration(
                    "%s: the key %s is missing; list the disks that all servers share, an odd number, such as"
                            + " %s=/dev/disk/by-id/a,/dev/disk/by-id/b,/dev/disk/by-id/c",
                    file.path(), format.pathsKey(), format.pathsKey());
        }
        return of(factory, protocolSettings, file.at(entry));
    }

    /**
     * @param factory of a protocol; null for none
     * @param protocolSettings the protocol's keys that the file sets, checked
     * @param where the list stands, as the beginning of a message
     * @return the settings, null if the protocol has no disks
     * @throws UserMistakeException if the list is wrong
     */
    public static SharedDiskSettings of(
            OrderingProtocolFactory factory, Map<String, String> protocolSettings, String where)
            throws UserMistakeException {
        SharedDiskFormat format = factory == null ? null : factory.sharedDisks();
        if (format == null) {
            return null;
        }
        try {
            List<Path> paths = DiskPaths.parse(factory.settings().text(protocolSettings, format.pathsKey()));
            boolean oneMachine =
                    Boolean.parseBoolean(factory.settings().choice(protocolSettings, format.oneMachineKey()));
            return new SharedDiskSettings(format, protocolSettings, paths, oneMachine, where);
        } catch (IOException e) {
            throw UserMistakeException.inConfiguration("%s: %s", where, e.getMessage());
        }
    }

    /** Refuses the keys of a protocol with disks where another one orders: whoever sets them expects disks. */
    static void checkUnused(SettingsFile file, String chosen, Iterable<OrderingProtocolFactory> factories)
            throws UserMistakeException {
        for (OrderingProtocolFactory factory : factories) {
            if (factory.sharedDisks() == null || factory.name().equals(chosen)) {
                continue;
            }
            for (SettingsFile.Entry entry : file.entries()) {
                if (factory.settings().names().contains(entry.key())) {
                    throw UserMistakeException.inConfiguration(
                            "%s has no effect with ordering.protocol=%s; remove it, or set ordering.protocol=%s",
                            file.at(entry), chosen, factory.name());
                }
            }
        }
    }

    /** @return bytes that each disk must have */
    public long diskBytes() {
        return format.diskBytes(protocolSettings);
    }
}
