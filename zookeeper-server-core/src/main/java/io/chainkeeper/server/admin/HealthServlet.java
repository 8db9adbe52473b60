package io.chainkeeper.server.admin;

import java.io.IOException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Answers {@code /live} and {@code /ready}: 200 and {@code ok}, or 503 and one line that says why not. */
final class HealthServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    static final String LIVE = "/live";
    static final String READY = "/ready";
    private static final String WRITE = "write";

    private final transient Health health;

    HealthServlet(Health health) {
        this.health = health;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String reason = reason(request);
        response.setStatus(reason == null ? HttpServletResponse.SC_OK : HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        response.setContentType("text/plain;charset=utf-8");
        response.setHeader("Cache-Control", "no-store");
        response.getWriter().println(reason == null ? "ok" : reason);
    }

    private String reason(HttpServletRequest request) {
        if (request.getServletPath().equals(LIVE)) {
            return health.reasonNotLive();
        }
        try {
            return request.getParameter(WRITE) == null ? health.reasonNotReady() : health.reasonNotReadyForWrites();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "this server is being stopped";
        }
    }
}
