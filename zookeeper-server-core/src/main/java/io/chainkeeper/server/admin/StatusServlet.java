package io.chainkeeper.server.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Serves the status page, one file without anything from elsewhere, and the numbers that it polls. */
final class StatusServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    static final String ROOT = "";
    static final String PAGE = "/status";
    static final String JSON = "/status.json";
    private static final String RESOURCE = "status.html";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** The page may run its own script and ask its own server, and nothing else. */
    private static final String POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
            + " connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final transient StatusReport report;
    private final byte[] page;

    StatusServlet(StatusReport report) {
        this.report = report;
        try (InputStream resource = StatusServlet.class.getResourceAsStream(RESOURCE)) {
            page = resource.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("the class path holds no readable " + RESOURCE, e);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        if (request.getServletPath().equals(JSON)) {
            response.setContentType("application/json;charset=utf-8");
            MAPPER.writeValue(response.getOutputStream(), report.create());
        } else {
            response.setContentType("text/html;charset=utf-8");
            response.setHeader("Content-Security-Policy", POLICY);
            response.getOutputStream().write(page);
        }
    }
}
