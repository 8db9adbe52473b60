package io.chainkeeper.main;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.log.LogInspection;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.server.inspection.StateFiles;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** {@code zkAcceptorLog.sh}: prints an acceptor log and what lies beside it, and finds damage. Writes nothing. */
public final class AcceptorLogCommand {
    private static final String VERIFY = "--verify";
    private static final String FROM = "--from";
    private static final String TO = "--to";
    private static final String POSITION = "[0-9]{1,18}";
    private static final int DAMAGED = Exit.CANNOT_START.code();

    private final List<OrderingProtocolFactory> factories = new ArrayList<>();
    private final PrintStream out;
    private final PrintStream err;

    /**
     * @param factories the protocols that there are
     * @param out where the log is printed
     * @param err gets one line for each damage, and the one of a refusal
     */
    AcceptorLogCommand(Iterable<OrderingProtocolFactory> factories, PrintStream out, PrintStream err) {
        factories.forEach(this.factories::add);
        this.out = out;
        this.err = err;
    }

    /**
     * Runs the command and ends the process: 0 if everything is whole, 1 if something is damaged, 2 if the command line
     * or the configuration is wrong, 3 if something cannot be read.
     *
     * @param args path of a zoo.cfg, then what the script was given
     */
    public static void main(String[] args) {
        PrintStream out =
                new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16), false);
        int exit = new AcceptorLogCommand(ServiceLoader.load(OrderingProtocolFactory.class), out, System.err).run(args);
        out.flush();
        System.exit(exit);
    }

    int run(String... args) {
        try {
            return run(args[0], new ArrayList<>(List.of(args).subList(1, args.length)));
        } catch (IOException | InvalidPathException e) {
            return CommandFailure.print(e, err, Exit.DIRECTORY_INACCESSIBLE.code());
        }
    }

    private int run(String zooCfg, List<String> rest) throws IOException {
        boolean verifies = rest.remove(VERIFY);
        long from = position(rest, FROM, 0);
        long to = position(rest, TO, Long.MAX_VALUE);
        if (rest.stream().anyMatch(word -> word.startsWith("-")) || rest.size() > 1) {
            throw mistake(
                    String.join(" ", rest) + ": give one file, directory or zoo.cfg; see zkAcceptorLog.sh --help");
        }
        if (from > to) {
            throw mistake(FROM + " " + from + " " + TO + " " + to + ": the first position is behind the last");
        }
        Path place = rest.isEmpty() ? null : Path.of(rest.get(0));
        if (place != null && Files.notExists(place)) {
            throw new UserMistakeException(Exit.DIRECTORY_INACCESSIBLE, place + ": there is no such file or directory");
        }
        boolean ranged = from > 0 || to < Long.MAX_VALUE;
        AcceptorLogPrinter printer = new AcceptorLogPrinter(verifies ? null : out, ranged, from, to);
        if (place == null || isConfiguration(place)) {
            Path config = place == null ? Path.of(zooCfg) : place;
            directory(printer, DataDirectories.read(config).orderingDirectory());
        } else if (Files.isDirectory(place)) {
            Path ordering = new DataDirectories(place, place).orderingDirectory();
            directory(printer, Files.isDirectory(ordering) ? ordering : place);
        } else if (LogInspection.isStore(place.getFileName().toString())) {
            directory(printer, place.toAbsolutePath().getParent());
        } else {
            printer.file(place, factories);
        }
        printer.damage().forEach(err::println);
        out.println(printer.summary());
        return printer.damage().isEmpty() ? 0 : DAMAGED;
    }

    private void directory(AcceptorLogPrinter printer, Path ordering) throws IOException {
        if (!Files.isDirectory(ordering)) {
            throw new UserMistakeException(
                    Exit.DIRECTORY_INACCESSIBLE,
                    ordering
                            + ": there is no such directory; give dataLogDir, its directory ordering, or a file of it");
        }
        printer.directory(ordering, factories);
    }

    /** Everything else that can be given has a name that tells what it is. */
    private static boolean isConfiguration(Path file) {
        String name = file.getFileName() == null ? "" : file.getFileName().toString();
        return Files.isRegularFile(file)
                && !LogInspection.isSegment(name)
                && !LogInspection.isStore(name)
                && !StateFiles.isOne(file);
    }

    private static long position(List<String> rest, String option, long otherwise) throws UserMistakeException {
        int index = rest.indexOf(option);
        if (index < 0) {
            return otherwise;
        }
        if (index + 1 == rest.size() || !rest.get(index + 1).matches(POSITION)) {
            throw mistake(option + ": give a position of the order, a number from 1 on");
        }
        rest.remove(index);
        return Long.parseLong(rest.remove(index));
    }

    private static UserMistakeException mistake(String message) {
        return new UserMistakeException(Exit.INVALID_CONFIGURATION, message);
    }

    /** Finds the protocol by its name, null if this release has none of it. */
    static OrderingProtocolFactory protocol(Iterable<OrderingProtocolFactory> factories, String name) {
        for (OrderingProtocolFactory factory : factories) {
            if (factory.name().equals(name)) {
                return factory;
            }
        }
        return null;
    }

    /** Returns the name of the protocol in the identity of a directory, null if it tells none. */
    static String protocolName(Path ordering) {
        try {
            ClusterIdentity identity = ClusterIdentity.read(ordering);
            return identity == null ? null : identity.protocol();
        } catch (IOException e) {
            return null; // said when the file itself is read
        }
    }
}
