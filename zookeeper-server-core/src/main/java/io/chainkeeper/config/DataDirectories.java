package io.chainkeeper.config;

import java.nio.file.Path;

/**
 * Where a zoo.cfg keeps its data: all that a command for a stopped server needs of a file that may ask for any
 * protocol.
 *
 * @param dataDirectory {@code dataDir}
 * @param logDirectory {@code dataLogDir}, or {@code dataDir}
 */
public record DataDirectories(Path dataDirectory, Path logDirectory) {
    /** Name of the directory, below both, that holds ZooKeeper's files. */
    public static final String VERSION_DIRECTORY = "version-2";

    /**
     * Reads them from a file.
     *
     * @param zooCfg the zoo.cfg
     * @return the directories; need not exist
     * @throws UserMistakeException if the file cannot be read or names none
     */
    public static DataDirectories read(Path zooCfg) throws UserMistakeException {
        SettingsFile file = SettingsFile.read(zooCfg);
        String dataDirectory = file.value("dataDir", "");
        if (dataDirectory.isEmpty()) {
            throw UserMistakeException.inConfiguration("%s: the key dataDir is missing", zooCfg);
        }
        return new DataDirectories(Path.of(dataDirectory), Path.of(file.value("dataLogDir", dataDirectory)));
    }

    /** @return see {@link OrderingConfig#orderingDirectory()} */
    public Path orderingDirectory() {
        return logDirectory.resolve(OrderingConfig.ORDERING_DIRECTORY);
    }

    /** @return holds ZooKeeper's transaction log */
    public Path transactions() {
        return logDirectory.resolve(VERSION_DIRECTORY);
    }

    /** @return holds ZooKeeper's snapshots and epochs */
    public Path snapshots() {
        return dataDirectory.resolve(VERSION_DIRECTORY);
    }
}
