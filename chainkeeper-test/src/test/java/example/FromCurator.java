package example;

import io.chainkeeper.test.TestingServer;

public class FromCurator {
    public static void main(String[] arguments) throws Exception {
        try (TestingServer server = new TestingServer()) {
            System.out.println(server.getConnectString() + " keeps its files in " + server.getTempDirectory());
            server.restart();
        }
    }
}
