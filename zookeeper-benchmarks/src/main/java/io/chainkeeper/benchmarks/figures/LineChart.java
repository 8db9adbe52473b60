package io.chainkeeper.benchmarks.figures;

import io.chainkeeper.benchmarks.figures.Canvas.Anchor;
import io.chainkeeper.benchmarks.figures.Canvas.Marker;
import io.chainkeeper.benchmarks.figures.Canvas.Place;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * A chart of lines, as SVG text or as a picture: what a figure of a paper needs and no more.
 *
 * @param title above the chart
 * @param xLabel below the horizontal axis, with unit
 * @param yLabel beside the vertical axis, with unit
 * @param logarithmicX whether equal steps to the right are equal factors; then all x are positive
 * @param lines at least one, each with at least one point
 */
record LineChart(String title, String xLabel, String yLabel, boolean logarithmicX, List<Line> lines) {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 460;
    private static final int LEFT = 80;
    private static final int RIGHT = 50;
    private static final int TOP = 70;
    private static final int BOTTOM = 60;
    private static final int LEGEND_BASELINE = 50;
    private static final int LEGEND_STEP = 110;
    private static final int LEGEND_LINE = 24;
    private static final int TITLE_BASELINE = 24;
    private static final int TICK = 4;

    private static final int TITLE_SIZE = 15;
    private static final int LABEL_SIZE = 13;
    private static final int TICK_SIZE = 12;

    private static final String BLACK = "#000000";
    private static final String GRID = "#dddddd";
    private static final double THIN = 1;
    private static final double THICK = 2;

    /** With more of them the markers of a line hide it. */
    private static final int MAX_MARKERS = 40;

    /** Told apart also by readers who do not see all colours: Okabe and Ito's palette. */
    private static final List<String> COLOURS =
            List.of("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000");

    /** The same colour and marker in every chart. */
    static final List<String> KNOWN_NAMES = List.of("chain", "iss", "zab", "etcd");

    /** One point. */
    record Point(double x, double y) {}

    /**
     * One line.
     *
     * @param name in the legend
     * @param points in the order in which they are joined
     */
    record Line(String name, List<Point> points) {}

    /** Lines of protocols stand in the same order in every legend. */
    LineChart {
        lines = lines.stream()
                .sorted(Comparator.comparingInt(line -> rank(line.name())))
                .toList();
    }

    /** A chart with two linear axes; see {@link LineChart}. */
    LineChart(String title, String xLabel, String yLabel, List<Line> lines) {
        this(title, xLabel, yLabel, false, lines);
    }

    /** @return the chart, a complete document */
    String svg() {
        SvgCanvas canvas = new SvgCanvas(WIDTH, HEIGHT);
        drawOn(canvas);
        return canvas.document();
    }

    /** @return the chart as a file of the format PNG */
    byte[] png() throws IOException {
        PngCanvas canvas = new PngCanvas(WIDTH, HEIGHT);
        drawOn(canvas);
        return canvas.file();
    }

    private void drawOn(Canvas canvas) {
        Axis horizontal = logarithmicX ? Axis.logarithmic(all(Point::x)) : Axis.linear(all(Point::x));
        Axis vertical = Axis.linear(all(Point::y));
        canvas.text(new Place(WIDTH / 2.0, TITLE_BASELINE), Anchor.MIDDLE, TITLE_SIZE, title);
        canvas.text(new Place((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 15), Anchor.MIDDLE, LABEL_SIZE, xLabel);
        canvas.textUpwards(new Place(18, (TOP + HEIGHT - BOTTOM) / 2.0), LABEL_SIZE, yLabel);
        grid(canvas, horizontal, vertical);
        for (int i = 0; i < lines.size(); i++) {
            line(canvas, i, horizontal, vertical);
            legend(canvas, i);
        }
    }

    private DoubleStream all(ToDoubleFunction<Point> coordinate) {
        return lines.stream().flatMap(line -> line.points().stream()).mapToDouble(coordinate);
    }

    private static void grid(Canvas canvas, Axis horizontal, Axis vertical) {
        for (double y : vertical.ticks()) {
            double at = placeY(vertical, y);
            canvas.polyline(List.of(new Place(LEFT, at), new Place(WIDTH - RIGHT, at)), GRID, THIN);
            canvas.text(new Place(LEFT - 6, at + 4), Anchor.END, TICK_SIZE, Axis.label(y));
        }
        for (double x : horizontal.ticks()) {
            double at = placeX(horizontal, x);
            boolean isFault = x == 0 && horizontal.from() < 0;
            double top = isFault ? TOP : HEIGHT - BOTTOM;
            canvas.polyline(List.of(new Place(at, top), new Place(at, HEIGHT - BOTTOM + TICK)), BLACK, THIN);
            canvas.text(new Place(at, HEIGHT - BOTTOM + 18), Anchor.MIDDLE, TICK_SIZE, Axis.label(x));
        }
        canvas.polyline(
                List.of(
                        new Place(LEFT, TOP),
                        new Place(LEFT, HEIGHT - BOTTOM),
                        new Place(WIDTH - RIGHT, HEIGHT - BOTTOM)),
                BLACK,
                THIN);
    }

    private void line(Canvas canvas, int index, Axis horizontal, Axis vertical) {
        List<Point> points = lines.get(index).points();
        List<Place> places = points.stream()
                .map(point -> new Place(placeX(horizontal, point.x()), placeY(vertical, point.y())))
                .toList();
        canvas.polyline(places, colour(index), THICK);
        if (points.size() <= MAX_MARKERS) {
            places.forEach(place -> canvas.marker(marker(index), place, colour(index)));
        }
    }

    /** Above the chart, where no line can run through it. */
    private void legend(Canvas canvas, int index) {
        double x = LEFT + index * LEGEND_STEP;
        double y = LEGEND_BASELINE - 4;
        canvas.polyline(List.of(new Place(x, y), new Place(x + LEGEND_LINE, y)), colour(index), THICK);
        canvas.marker(marker(index), new Place(x + LEGEND_LINE / 2.0, y), colour(index));
        canvas.text(
                new Place(x + LEGEND_LINE + 6, LEGEND_BASELINE),
                Anchor.START,
                LABEL_SIZE,
                lines.get(index).name());
    }

    private String colour(int index) {
        return COLOURS.get(style(index) % COLOURS.size());
    }

    private Marker marker(int index) {
        return Marker.values()[style(index) % Marker.values().length];
    }

    private int style(int index) {
        int rank = rank(lines.get(index).name());
        return rank < KNOWN_NAMES.size() ? rank : rank + index;
    }

    private static int rank(String name) {
        int known = KNOWN_NAMES.indexOf(name);
        return known >= 0 ? known : KNOWN_NAMES.size();
    }

    private static double placeX(Axis axis, double x) {
        return LEFT + axis.place(x) * (WIDTH - LEFT - RIGHT);
    }

    private static double placeY(Axis axis, double y) {
        return HEIGHT - BOTTOM - axis.place(y) * (HEIGHT - TOP - BOTTOM);
    }
}
