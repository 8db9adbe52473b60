package io.chainkeeper.server.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Serves the status page, and the numbers that it polls. */
final class StatusServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    static final String ROOT = "";
    static final String PAGE = "/status";
    static final String JSON = "/status.json";
    static final String HISTORY = "/status/history.json";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final transient Map<String, Supplier<Map<String, Object>>> reports;
    private final transient Page page = new Page("status.html");

    /**
     * @param status answers {@link #JSON}
     * @param load answers {@link #HISTORY}
     */
    StatusServlet(StatusReport status, LoadReport load) {
        this.reports = Map.of(JSON, status::create, HISTORY, load::create);
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Supplier<Map<String, Object>> report = reports.get(request.getServletPath());
        if (report == null) {
            page.write(response);
            return;
        }
        Page.protect(response);
        response.setContentType("application/json;charset=utf-8");
        MAPPER.writeValue(response.getOutputStream(), report.get());
    }
}
