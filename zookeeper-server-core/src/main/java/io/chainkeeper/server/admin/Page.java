package io.chainkeeper.server.admin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.servlet.http.HttpServletResponse;

/**
 * A page for people, put together from files of the class path: one file without anything from elsewhere. A browser
 * runs its scripts and no others, and lets it ask its own server and nobody else.
 */
final class Page {
    /** Stands in a page where the text of another file belongs. */
    private static final Pattern INCLUDE = Pattern.compile("@include ([a-z]+\\.[a-z]+)@\n");

    private static final Pattern SCRIPT = Pattern.compile("<script>(.*?)</script>", Pattern.DOTALL);
    private static final Pattern STYLE = Pattern.compile("<style>(.*?)</style>", Pattern.DOTALL);

    private final byte[] bytes;
    private final String policy;

    /** @param resource file beside this class */
    Page(String resource) {
        String text =
                INCLUDE.matcher(read(resource)).replaceAll(include -> Matcher.quoteReplacement(read(include.group(1))));
        bytes = text.getBytes(StandardCharsets.UTF_8);
        policy = "default-src 'none'; script-src" + hashes(SCRIPT, text) + "; style-src" + hashes(STYLE, text)
                + "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    }

    private static String read(String resource) {
        try (InputStream file = Page.class.getResourceAsStream(resource)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the class path holds no readable " + resource, e);
        }
    }

    private static String hashes(Pattern element, String text) {
        StringBuilder hashes = new StringBuilder();
        element.matcher(text)
                .results()
                .forEach(found ->
                        hashes.append(" 'sha256-").append(hash(found.group(1))).append("'"));
        return hashes.toString();
    }

    private static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256: " + e, e);
        }
    }

    /** Answers with this page. */
    void write(HttpServletResponse response) throws IOException {
        protect(response);
        response.setContentType("text/html;charset=utf-8");
        response.setHeader("Content-Security-Policy", policy);
        response.getOutputStream().write(bytes);
    }

    /** Whatever is answered is nobody's else to keep, to take for something else, or to read from another site. */
    static void protect(HttpServletResponse response) {
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    }
}
