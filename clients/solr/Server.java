import java.nio.file.Path;
import java.util.Properties;
import org.apache.solr.embedded.JettyConfig;
import org.apache.solr.embedded.JettySolrRunner;

/** A Solr node, from the jars alone. Server SOLR_HOME PORT */
public final class Server {
    public static void main(String[] args) throws Exception {
        JettyConfig config = JettyConfig.builder().setPort(Integer.parseInt(args[1])).setContext("/solr").build();
        new JettySolrRunner(Path.of(args[0]).toString(), new Properties(), config).start();
        System.out.println("started");
        Thread.currentThread().join();
    }
}
