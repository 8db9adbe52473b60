package io.chainkeeper.server.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.ServerAuthenticationProvider;

/**
 * The browser of the tree: a page, and the znodes that it asks for. Who looks says so in the header {@code
 * Authorization: digest user:password}, as to ZooKeeper's own commands, and is anybody without it; no address and no
 * log has it. Nothing can be changed.
 */
final class TreeServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    static final String PAGE = "/tree";
    static final String JSON = "/tree/node.json";

    private static final String SCHEME = "digest";
    private static final String CREDENTIALS = SCHEME + " ";
    private static final int MAX_PARAMETER_CHARACTERS = 8_192;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final transient TreeReader tree;
    private final transient Page page = new Page("tree.html");

    TreeServlet(TreeReader tree) {
        this.tree = tree;
    }

    /** A request that cannot be answered. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;
        private final int status;

        Refused(int status, String reason) {
            super(reason);
            this.status = status;
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getServletPath().equals(PAGE)) {
            page.write(response);
            return;
        }
        Page.protect(response);
        response.setContentType("application/json;charset=utf-8");
        Map<String, Object> answer;
        try {
            answer = node(request);
        } catch (Refused e) {
            response.setStatus(e.status);
            answer = Map.of("problem", e.getMessage());
        }
        MAPPER.writeValue(response.getOutputStream(), answer);
    }

    private Map<String, Object> node(HttpServletRequest request) throws Refused {
        checkSite(request.getHeader("Sec-Fetch-Site"));
        String path = parameter(request, "path", "/");
        try {
            PathUtils.validatePath(path);
        } catch (IllegalArgumentException e) {
            throw new Refused(HttpServletResponse.SC_BAD_REQUEST, "no path: " + e.getMessage());
        }
        try {
            Map<String, Object> node = tree.look(path, parameter(request, "from", ""), ids(request));
            if (node == null) {
                throw new Refused(HttpServletResponse.SC_NOT_FOUND, "there is no such znode");
            }
            return node;
        } catch (TreeReader.BusyException e) {
            throw new Refused(HttpServletResponse.SC_SERVICE_UNAVAILABLE, e.getMessage());
        }
    }

    /** A browser says where a request comes from; pages of others cannot read the answer and need not cause it. */
    private static void checkSite(String site) throws Refused {
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            throw new Refused(HttpServletResponse.SC_FORBIDDEN, "asked by a page of another site");
        }
    }

    private static String parameter(HttpServletRequest request, String name, String absent) throws Refused {
        String value = request.getParameter(name);
        if (value != null && value.length() > MAX_PARAMETER_CHARACTERS) {
            throw new Refused(
                    HttpServletResponse.SC_BAD_REQUEST,
                    name + " has more than " + MAX_PARAMETER_CHARACTERS + " characters");
        }
        return value == null ? absent : value;
    }

    private static List<Id> ids(HttpServletRequest request) throws Refused {
        String header = request.getHeader("Authorization");
        if (header == null) {
            return List.of();
        }
        ServerAuthenticationProvider digest = ProviderRegistry.getServerProvider(SCHEME);
        if (digest == null) {
            throw new Refused(HttpServletResponse.SC_UNAUTHORIZED, "this server knows no scheme digest");
        }
        if (!header.regionMatches(true, 0, CREDENTIALS, 0, CREDENTIALS.length()) || header.indexOf(':') < 0) {
            throw new Refused(HttpServletResponse.SC_UNAUTHORIZED, "credentials are: digest user:password");
        }
        // A header is bytes, one for each character; those of users are UTF-8.
        byte[] credentials = header.substring(CREDENTIALS.length()).getBytes(StandardCharsets.ISO_8859_1);
        return digest.handleAuthentication(request, credentials);
    }
}
