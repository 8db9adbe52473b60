package io.chainkeeper.benchmarks.figures;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** An SVG document, white where nothing is drawn. */
final class SvgCanvas implements Canvas {
    private final StringBuilder out = new StringBuilder();

    /**
     * @param width in pixels
     * @param height in pixels
     */
    SvgCanvas(int width, int height) {
        append(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                width, height, width, height);
    }

    private void append(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values));
    }

    /** The document. Nothing more may be drawn. */
    String document() {
        return out.append("</svg>\n").toString();
    }

    @Override
    public void polyline(List<Place> places, String colour, double width) {
        append(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"/>%n",
                points(places), colour, width);
    }

    private static String points(List<Place> places) {
        return places.stream()
                .map(place -> String.format(Locale.ROOT, "%.1f,%.1f", place.x(), place.y()))
                .collect(Collectors.joining(" "));
    }

    @Override
    public void marker(Marker marker, Place place, String colour) {
        if (marker == Marker.CIRCLE) {
            append(
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>%n",
                    place.x(), place.y(), Marker.RADIUS, colour);
        } else {
            append("<polygon points=\"%s\" fill=\"%s\"/>%n", points(marker.corners(place)), colour);
        }
    }

    @Override
    public void text(Place place, Anchor anchor, int size, String text) {
        append(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\">%s</text>%n",
                place.x(), place.y(), anchor.name().toLowerCase(Locale.ROOT), size, escaped(text));
    }

    @Override
    public void textUpwards(Place place, int size, String text) {
        append(
                "<text transform=\"translate(%.1f,%.1f) rotate(-90)\" text-anchor=\"middle\" font-size=\"%d\">"
                        + "%s</text>%n",
                place.x(), place.y(), size, escaped(text));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
