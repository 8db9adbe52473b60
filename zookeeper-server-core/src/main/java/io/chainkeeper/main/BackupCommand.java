package io.chainkeeper.main;

import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.FileFailure;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.server.backup.BackupRestore;
import io.chainkeeper.server.backup.BackupRun;
import io.chainkeeper.server.backup.BackupVerification;
import io.chainkeeper.server.backup.UnusableBackupException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code zkBackup.sh}: takes backups of a member, lists and proves them, and makes data directories of them. */
public final class BackupCommand {
    private static final String TO = "--to";
    private static final String EVERY = "--every";
    private static final String KEEP = "--keep";
    private static final String TO_ZXID = "--to-zxid";
    private static final String TO_TIME = "--to-time";
    private static final String INTO = "--into";

    /** What each subcommand takes. */
    private static final Map<String, Set<String>> OPTIONS = Map.of(
            "backup", Set.of(TO, EVERY, KEEP),
            "list", Set.of(),
            "verify", Set.of(),
            "restore", Set.of(TO_ZXID, TO_TIME, INTO));

    private static final Pattern INTERVAL = Pattern.compile("([1-9][0-9]{0,5})([smhd])");
    private static final Map<String, Duration> UNITS = Map.of(
            "s", Duration.ofSeconds(1), "m", Duration.ofMinutes(1), "h", Duration.ofHours(1), "d", Duration.ofDays(1));
    private static final int MAX_KEEP = 1_000_000;
    private static final String ZXID = "0x[0-9a-fA-F]{1,16}";

    private final PrintStream out;
    private final PrintStream err;
    private final Clock clock;
    private final String release;

    /**
     * @param out where results go
     * @param err where the one line of a refusal goes
     * @param clock the machine's
     * @param release that writes backups
     */
    BackupCommand(PrintStream out, PrintStream err, Clock clock, String release) {
        this.out = out;
        this.err = err;
        this.clock = clock;
        this.release = release;
    }

    /**
     * Runs the command and ends the process: 0 if it is done, 1 if a backup or a directory is not as it should be, 2 if
     * the command line or the configuration is wrong, 3 if a directory cannot be used.
     *
     * @param args path of a zoo.cfg, the subcommand, and what it takes
     */
    public static void main(String[] args) {
        String release = System.getProperty("chainkeeper.release", "unknown");
        System.exit(new BackupCommand(System.out, System.err, Clock.systemUTC(), release).run(args));
    }

    int run(String... args) {
        try {
            List<String> rest = new ArrayList<>(List.of(args).subList(2, args.length));
            run(args[0], args[1], rest);
            return 0;
        } catch (IOException | InvalidPathException e) {
            return CommandFailure.print(e, err, Exit.CANNOT_START.code());
        } catch (OutOfMemoryError e) {
            err.println("The tree does not fit into a heap of "
                    + (Runtime.getRuntime().maxMemory() >> 20)
                    + " MB: set ZK_SERVER_HEAP to what the server has, in MB");
            return Exit.CANNOT_START.code();
        }
    }

    private void run(String zooCfg, String command, List<String> rest) throws IOException {
        Set<String> known = OPTIONS.get(command);
        if (known == null) {
            throw mistake("zkBackup.sh " + command + ": unknown command; use one of backup, list, verify, restore");
        }
        Map<String, String> options = new TreeMap<>();
        List<String> operands = new ArrayList<>();
        for (int i = 0; i < rest.size(); i++) {
            String word = rest.get(i);
            if (!word.startsWith("-")) {
                operands.add(word);
            } else if (!known.contains(word)) {
                throw mistake("zkBackup.sh " + command + " " + word + ": unknown option; see zkBackup.sh --help");
            } else if (i + 1 == rest.size() || options.put(word, rest.get(++i)) != null) {
                throw mistake("zkBackup.sh " + command + ": " + word + " needs one value, once");
            }
        }
        switch (command) {
            case "backup" -> backup(options, config(operands, 0, zooCfg));
            case "list" -> new BackupVerification(directory(operands)).list().forEach(out::println);
            case "verify" -> out.println(new BackupVerification(directory(operands)).verify());
            default -> restore(options, operands, zooCfg);
        }
    }

    private static Path config(List<String> operands, int index, String zooCfg) throws UserMistakeException {
        if (operands.size() > index + 1) {
            throw mistake(operands.get(index + 1) + ": one argument too many; see zkBackup.sh --help");
        }
        return Path.of(operands.size() > index ? operands.get(index) : zooCfg);
    }

    private static Path directory(List<String> operands) throws UserMistakeException {
        if (operands.size() != 1) {
            throw mistake("give one backup directory; see zkBackup.sh --help");
        }
        return Path.of(operands.get(0));
    }

    private static UserMistakeException mistake(String message) {
        return new UserMistakeException(Exit.INVALID_CONFIGURATION, message);
    }

    private void backup(Map<String, String> options, Path zooCfg) throws IOException {
        if (!options.containsKey(TO)) {
            throw mistake("zkBackup.sh backup needs " + TO + " DIRECTORY");
        }
        Duration every = options.containsKey(EVERY) ? interval(options.get(EVERY)) : null;
        int keep = options.containsKey(KEEP) ? keep(options.get(KEEP)) : BackupRun.KEEP_ALL;
        BackupRun run = new BackupRun(DataDirectories.read(zooCfg), Path.of(options.get(TO)), release, keep);
        Instant begin = clock.instant();
        out.println(run.run(begin));
        while (every != null) {
            begin = begin.plus(every);
            if (begin.isBefore(clock.instant())) {
                begin = clock.instant();
            }
            awaitTime(begin);
            repeat(run, begin.plus(every));
        }
    }

    /** A member that is being started, storage that is away, or a full disk is not the end of a schedule. */
    private void repeat(BackupRun run, Instant next) throws UnusableBackupException {
        Instant now = clock.instant();
        try {
            out.println(now + " " + run.run(now));
        } catch (UnusableBackupException e) {
            throw e;
        } catch (IOException e) {
            err.println(now + " Not backed up: " + FileFailure.text(e) + "; trying again at " + next);
        }
    }

    private void awaitTime(Instant time) {
        try {
            Thread.sleep(Math.max(0, Duration.between(clock.instant(), time).toMillis()));
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
    }

    private static Duration interval(String text) throws UserMistakeException {
        Matcher parts = INTERVAL.matcher(text);
        if (!parts.matches()) {
            throw mistake(EVERY + " " + text + ": give a number and s, m, h or d, as in 15m");
        }
        return UNITS.get(parts.group(2)).multipliedBy(Long.parseLong(parts.group(1)));
    }

    private static int keep(String text) throws UserMistakeException {
        if (!text.matches("[0-9]{1,7}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > MAX_KEEP) {
            throw mistake(KEEP + " " + text + ": give a number of snapshots from 1 to " + MAX_KEEP);
        }
        return Integer.parseInt(text);
    }

    private void restore(Map<String, String> options, List<String> operands, String zooCfg) throws IOException {
        if (operands.isEmpty()) {
            throw mistake("give the backup directory; see zkBackup.sh --help");
        }
        if (options.containsKey(TO_ZXID) && options.containsKey(TO_TIME)) {
            throw mistake("give " + TO_ZXID + " or " + TO_TIME + ", not both");
        }
        List<DataDirectories> into;
        if (options.containsKey(INTO)) {
            if (operands.size() > 1) {
                throw mistake(operands.get(1) + ": give " + INTO + " or a zoo.cfg, not both");
            }
            into = directories(options.get(INTO));
        } else {
            into = List.of(DataDirectories.read(config(operands, 1, zooCfg)));
        }
        BackupRestore restore = new BackupRestore(Path.of(operands.get(0)));
        out.println(restore.restore(goal(restore, options), into));
        if (options.containsKey(INTO)) {
            out.println("A dataLogDir that a zoo.cfg names has to be empty, too: a server goes on with what is there.");
        }
        out.println("Do the same for every server, then start all: they form a new cluster that goes on from there.");
    }

    /** A name that is empty would be the directory in which the command happens to be run. */
    private static List<DataDirectories> directories(String text) throws UserMistakeException {
        List<DataDirectories> directories = new ArrayList<>();
        for (String name : text.split(",", -1)) {
            if (name.isBlank()) {
                throw mistake(INTO + " '" + text + "': give directories, with commas between them");
            }
            directories.add(new DataDirectories(Path.of(name), Path.of(name)));
        }
        return directories;
    }

    private static BackupRestore.Goal goal(BackupRestore restore, Map<String, String> options) throws IOException {
        if (options.containsKey(TO_ZXID)) {
            String text = options.get(TO_ZXID);
            if (!text.matches(ZXID)) {
                throw mistake(TO_ZXID + " " + text + ": give it as srvr prints it, as in 0x1c2f3");
            }
            return restore.at(Long.parseUnsignedLong(text.substring("0x".length()), 16));
        }
        return options.containsKey(TO_TIME) ? restore.at(time(options.get(TO_TIME))) : restore.last();
    }

    private static Instant time(String text) throws UserMistakeException {
        try {
            return text.matches(".*(Z|[+-][0-9]{2}:?[0-9]{2})")
                    ? OffsetDateTime.parse(text).toInstant()
                    : LocalDateTime.parse(text).atZone(ZoneId.systemDefault()).toInstant();
        } catch (DateTimeException e) {
            throw mistake(
                    TO_TIME + " " + text + ": give it as in 2026-11-24T03:15:00Z; without the Z it is local time");
        }
    }
}
