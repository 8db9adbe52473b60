package io.chainkeeper.benchmarks.figures;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What charts are drawn on. Coordinates are pixels of a chart's own size, from the upper left corner; colours are
 * written as in SVG, {@code #rrggbb}.
 */
interface Canvas {
    /** A place. */
    record Place(double x, double y) {}

    /** Which end of a text its place is. */
    enum Anchor {
        START,
        MIDDLE,
        END
    }

    /** What marks a point, so that lines are told apart without their colours. */
    enum Marker {
        /** The only one without corners. */
        CIRCLE,
        SQUARE(-1, -1, 1, -1, 1, 1, -1, 1),
        TRIANGLE(0, -1.3, 1.2, 0.9, -1.2, 0.9),
        DIAMOND(0, -1.4, 1.4, 0, 0, 1.4, -1.4, 0);

        /** Half of a marker's width. */
        static final double RADIUS = 3.5;

        private final double[] offsets;

        Marker(double... offsets) {
            this.offsets = offsets;
        }

        /** The corners of a marker round a place; none of a circle. */
        List<Place> corners(Place middle) {
            return IntStream.range(0, offsets.length / 2)
                    .mapToObj(i ->
                            new Place(middle.x() + RADIUS * offsets[2 * i], middle.y() + RADIUS * offsets[2 * i + 1]))
                    .toList();
        }
    }

    /**
     * Joins places by straight lines.
     *
     * @param places at least one
     * @param colour of the line
     * @param width of the line
     */
    void polyline(List<Place> places, String colour, double width);

    /**
     * Marks a place.
     *
     * @param marker its shape
     * @param place its middle
     * @param colour of its area
     */
    void marker(Marker marker, Place place, String colour);

    /**
     * Writes a text in black.
     *
     * @param place of its base line
     * @param anchor which end of it that is
     * @param size of the font
     * @param text on one line
     */
    void text(Place place, Anchor anchor, int size, String text);

    /**
     * Writes a text in black from below to above.
     *
     * @param place of the middle of its base line
     * @param size of the font
     * @param text on one line
     */
    void textUpwards(Place place, int size, String text);
}
