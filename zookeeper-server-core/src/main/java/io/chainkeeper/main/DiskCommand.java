package io.chainkeeper.main;

import io.chainkeeper.config.SharedDiskSettings;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.ordering.DiskLabel;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.UnreadableDiskException;
import io.chainkeeper.shareddisk.DiskReplacement;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.LongSupplier;

/**
 * Formats the disks that the servers of an ensemble share, says what is on them, and puts a new one in the place of one
 * that is lost. Says first what it would do, and writes nothing without {@code --yes}.
 */
public final class DiskCommand {
    private static final String CONSENT = "--yes";
    private static final String MEND = "--mend";
    private static final int NOT_DONE = Exit.CANNOT_START.code();

    private final List<OrderingProtocolFactory> factories = new ArrayList<>();
    private final PrintStream out;
    private final PrintStream err;
    private final LongSupplier ids;

    /**
     * For programs that format disks themselves.
     *
     * @param factories the protocols that there are
     * @param out where results go
     * @param err where the one line of a refusal goes
     * @param ids draws ids of clusters and disks
     */
    public DiskCommand(
            Iterable<OrderingProtocolFactory> factories, PrintStream out, PrintStream err, LongSupplier ids) {
        factories.forEach(this.factories::add);
        this.out = out;
        this.err = err;
        this.ids = ids;
    }

    /**
     * Runs the command and ends the process: 0 if it is done, 1 if a disk is not as it should be or nothing was done, 2
     * if the command line or the configuration is wrong, 3 if a file cannot be used.
     *
     * @param args path of a zoo.cfg, the subcommand, and what it takes
     */
    public static void main(String[] args) {
        SecureRandom random = new SecureRandom();
        System.exit(new DiskCommand(
                        ServiceLoader.load(OrderingProtocolFactory.class), System.out, System.err, random::nextLong)
                .run(args));
    }

    /**
     * Runs the command as {@link #main} does.
     *
     * @param args path of a zoo.cfg, the subcommand, and what it takes
     * @return the exit code
     */
    public int run(String... args) {
        try {
            return run(args[0], args[1], new ArrayList<>(List.of(args).subList(2, args.length)));
        } catch (IOException | InvalidPathException e) {
            return CommandFailure.print(e, err, NOT_DONE);
        } catch (UncheckedIOException e) {
            return CommandFailure.print(e.getCause(), err, NOT_DONE);
        } catch (UnreadableDiskException e) {
            err.println(e.getMessage());
            return NOT_DONE;
        }
    }

    private int run(String zooCfg, String command, List<String> rest) throws IOException {
        boolean consent = !command.equals("inspect") && rest.remove(CONSENT);
        boolean mends = command.equals("inspect") && rest.remove(MEND);
        int operands = command.equals("replace") ? 1 : 0;
        for (String word : rest) {
            if (word.startsWith("-")) {
                throw mistake("zkDisk.sh " + command + " " + word + ": unknown option; see zkDisk.sh --help");
            }
        }
        if (rest.size() < operands || rest.size() > operands + 1) {
            throw mistake(
                    rest.size() > operands
                            ? rest.get(operands + 1) + ": one argument too many; see zkDisk.sh --help"
                            : "zkDisk.sh replace needs the number of a disk, as zoo.cfg lists them, from 1");
        }
        Path file = Path.of(rest.size() > operands ? rest.get(operands) : zooCfg);
        return switch (command) {
            case "format" -> format(SharedDiskSettings.read(file, factories), consent);
            case "inspect" -> inspect(SharedDiskSettings.read(file, factories), mends);
            case "replace" -> replace(SharedDiskSettings.read(file, factories), rest.get(0), consent);
            default -> throw mistake("zkDisk.sh " + command + ": unknown command; use one of format, inspect, replace");
        };
    }

    private static UserMistakeException mistake(String message) {
        return new UserMistakeException(Exit.INVALID_CONFIGURATION, message);
    }

    private int said(boolean consent, String done) {
        out.println(consent ? "Done: " + done : "Nothing has been changed. To do it, add " + CONSENT + ".");
        return consent ? 0 : NOT_DONE;
    }

    private int format(SharedDiskSettings settings, boolean consent) throws IOException {
        try (DiskTool disks = new DiskTool(settings, true)) {
            for (int number = 0; number < disks.count(); number++) {
                disks.requireEmpty(number);
            }
            List<Long> diskIds = new ArrayList<>();
            settings.paths().forEach(path -> diskIds.add(ids.getAsLong()));
            DiskLabel label = new DiskLabel(ids.getAsLong(), 0, diskIds, 0, true);
            out.println((consent ? "Formatting " : "To be formatted: ") + disks.count() + " empty disks for cluster "
                    + label.cluster() + ", " + settings.diskBytes() + " bytes of each:");
            settings.paths().forEach(path -> out.println("  " + path));
            if (consent) {
                for (int number = 0; number < disks.count(); number++) {
                    disks.format(number, label.ofDisk(number));
                }
                disks.checkAreDifferent(label);
            }
        }
        return said(consent, "start the servers, all with this list in this order.");
    }

    private int inspect(SharedDiskSettings settings, boolean mends) throws IOException {
        int damage = 0;
        try (DiskTool disks = new DiskTool(settings, mends)) {
            for (int number = 0; number < disks.count(); number++) {
                out.println(settings.paths().get(number) + ":");
                damage += disks.inspect(number, mends, line -> out.println("  " + line));
            }
            damage += disks.inspectGenerations(mends, out::println);
        }
        return damage == 0 ? 0 : NOT_DONE;
    }

    private int replace(SharedDiskSettings settings, String which, boolean consent) throws IOException {
        int count = settings.paths().size();
        if (!which.matches("[1-9][0-9]?") || Integer.parseInt(which) > count) {
            throw mistake("zkDisk.sh replace " + which + ": give the number of a disk, 1 to " + count
                    + ", in the order of the list in zoo.cfg");
        }
        int number = Integer.parseInt(which) - 1;
        try (DiskTool disks = new DiskTool(settings, true)) {
            DiskReplacement replacement = disks.replacement(number);
            List<Integer> others = replacement.others();
            disks.requireReplaceable(number, replacement.newest());
            DiskLabel label = replacement.label(ids.getAsLong());
            out.println(
                    (consent ? "Filling " : "To be filled: ") + settings.paths().get(number) + ", as disk " + which
                            + " of cluster " + label.cluster() + ", from");
            others.forEach(other -> out.println("  " + settings.paths().get(other)));
            out.println("A server that runs stops when it sees that; start it again.");
            if (consent) {
                out.println("Copied " + disks.replace(number, others, label) + " bytes of what servers have written.");
            }
        }
        return said(consent, "the disk counts.");
    }
}
