package io.chainkeeper.simulation.znode;

import io.chainkeeper.simulation.checker.ZnodeModel;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Which operations clients ask for, drawn as the options of the run want it. */
final class ZnodeMix {
    /** How many numbered children {@link ZnodeOperations#PARENT} may have. */
    static final int CHILDREN = 3;

    private final SwarmOptions options;
    private final ZnodeOperations operations;
    private final GuardedZnodeOperations guarded;
    private final PassingZnodeOperations passing;
    private final ConfigurationOperations configurations;

    ZnodeMix(
            SwarmOptions options,
            ZnodeOperations operations,
            GuardedZnodeOperations guarded,
            PassingZnodeOperations passing,
            ConfigurationOperations configurations) {
        this.options = options;
        this.operations = operations;
        this.guarded = guarded;
        this.passing = passing;
        this.configurations = configurations;
    }

    private String anyPath(SplittableRandom random) {
        int choice = random.nextInt(options.keys() + CHILDREN);
        return choice < options.keys()
                ? "/k" + (choice + 1)
                : ZnodeOperations.PARENT + "/c" + (choice - options.keys() + 1);
    }

    /** A client asks for something, drawn from this. */
    void ask(ZnodeClient client, SplittableRandom random) {
        if (random.nextInt(100) < options.readPercent()) {
            read(client, random);
        } else {
            write(client, random);
        }
    }

    private void read(ZnodeClient client, SplittableRandom random) {
        boolean watch = random.nextInt(3) == 0;
        switch (random.nextInt(11)) {
            case 10 -> configurations.read(client, watch);
            case 8 -> guarded.getData(client);
            case 9 -> guarded.getList(client);
            case 0, 1 -> operations.getChildren(client, watch);
            case 2, 3 -> operations.exists(client, anyPath(random), watch);
            case 4 -> operations.sync(client, anyPath(random));
            default -> operations.getData(client, anyPath(random), watch);
        }
    }

    private void write(ZnodeClient client, SplittableRandom random) {
        String path = anyPath(random);
        boolean conditional = random.nextInt(100) < options.conditionalPercent();
        int expectedVersion = conditional ? operations.seenVersion(path) : ZnodeModel.ANY_VERSION;
        switch (random.nextInt(20)) {
            case 0, 1 -> operations.create(client, path, false);
            case 2, 3, 4 -> operations.create(client, path, true);
            case 5, 6 -> operations.delete(client, path, expectedVersion);
            case 7, 8 -> operations.createSequential(client, random.nextBoolean());
            case 9, 10 -> multi(client, path, random);
            case 11 -> {
                if (random.nextInt(4) == 0) {
                    operations.closeSession(client);
                }
            }
            case 16 -> guarded.setList(client, random.nextInt(4), conditional);
            case 17 -> guarded.setData(client);
            case 18, 19 -> passing.any(client, random.nextInt(4));
            default -> operations.setData(client, path, expectedVersion);
        }
    }

    private void multi(ZnodeClient client, String checked, SplittableRandom random) {
        String set = anyPath(random);
        if (!set.equals(checked) && random.nextBoolean()) {
            operations.checkAndSet(client, checked, operations.seenVersion(checked), set);
        } else if (!set.equals(checked)) {
            operations.deleteAndCreate(client, checked, operations.seenVersion(checked), set);
        }
    }

    /** All paths that clients use, but for those of guarded and passing nodes. */
    List<String> allPaths() {
        List<String> paths = new ArrayList<>();
        for (int i = 1; i <= options.keys(); i++) {
            paths.add("/k" + i);
        }
        for (int i = 1; i <= CHILDREN; i++) {
            paths.add(ZnodeOperations.PARENT + "/c" + i);
        }
        return paths;
    }
}
