package io.chainkeeper.server.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Map;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Serves the status page, and the numbers that it polls. */
final class StatusServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    static final String ROOT = "";
    static final String PAGE = "/status";
    static final String JSON = "/status.json";
    static final String ENSEMBLE = "/status/ensemble.json";

    /** Of this server, or with the parameter {@value #MEMBER} of that one. */
    static final String HISTORY = "/status/history.json";

    private static final String MEMBER = "member";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final transient StatusReport status;
    private final transient EnsembleReport ensemble;
    private final transient Page page = new Page("status.html");

    /**
     * @param status answers {@link #JSON}
     * @param ensemble answers {@link #ENSEMBLE} and {@link #HISTORY}
     */
    StatusServlet(StatusReport status, EnsembleReport ensemble) {
        this.status = status;
        this.ensemble = ensemble;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        switch (request.getServletPath()) {
            case JSON -> write(status.create(), response);
            case ENSEMBLE -> write(ensemble.create(), response);
            case HISTORY -> writeHistory(request.getParameter(MEMBER), response);
            default -> page.write(response);
        }
    }

    private void writeHistory(String member, HttpServletResponse response) throws IOException {
        JsonNode load = ensemble.load(member);
        if (load == null) {
            response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            write(Map.of("problem", "this server has not heard it yet"), response);
        } else {
            write(load, response);
        }
    }

    private static void write(Object report, HttpServletResponse response) throws IOException {
        Page.protect(response);
        response.setContentType("application/json;charset=utf-8");
        MAPPER.writeValue(response.getOutputStream(), report);
    }
}
