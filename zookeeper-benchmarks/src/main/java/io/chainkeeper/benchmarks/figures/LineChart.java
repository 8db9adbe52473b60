package io.chainkeeper.benchmarks.figures;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * A chart of lines as SVG text, without any library: what a figure of a paper needs and no more.
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

    /** With more of them the dots of a line hide it. */
    private static final int MAX_DOTS = 40;

    /** Told apart also by readers who do not see all colours: Okabe and Ito's palette. */
    private static final List<String> COLOURS =
            List.of("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000");

    /** One point. */
    record Point(double x, double y) {}

    /**
     * One line.
     *
     * @param name in the legend
     * @param points in the order in which they are joined
     */
    record Line(String name, List<Point> points) {}

    /** A chart with two linear axes; see {@link LineChart}. */
    LineChart(String title, String xLabel, String yLabel, List<Line> lines) {
        this(title, xLabel, yLabel, false, lines);
    }

    /** @return the chart, a complete document */
    String svg() {
        Axis horizontal = logarithmicX ? Axis.logarithmic(all(Point::x)) : Axis.linear(all(Point::x));
        Axis vertical = Axis.linear(all(Point::y));
        StringBuilder out = new StringBuilder();
        out.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\""
                        + " fill=\"white\"/>%n",
                WIDTH,
                HEIGHT,
                WIDTH,
                HEIGHT));
        out.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"24\" text-anchor=\"middle\" font-size=\"15\">%s</text>%n",
                WIDTH / 2.0,
                escaped(title)));
        text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 15, "middle", xLabel);
        out.append(String.format(
                Locale.ROOT,
                "<text transform=\"translate(18,%d) rotate(-90)\" text-anchor=\"middle\">%s</text>%n",
                (TOP + HEIGHT - BOTTOM) / 2,
                escaped(yLabel)));
        grid(out, horizontal, vertical);
        for (int i = 0; i < lines.size(); i++) {
            String colour = COLOURS.get(i % COLOURS.size());
            line(out, lines.get(i), colour, horizontal, vertical);
            legend(out, lines.get(i), colour, i);
        }
        return out.append("</svg>\n").toString();
    }

    private DoubleStream all(ToDoubleFunction<Point> coordinate) {
        return lines.stream().flatMap(line -> line.points().stream()).mapToDouble(coordinate);
    }

    private static void grid(StringBuilder out, Axis horizontal, Axis vertical) {
        for (double y : vertical.ticks()) {
            double at = placeY(vertical, y);
            out.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
                    LEFT,
                    at,
                    WIDTH - RIGHT,
                    at));
            text(out, LEFT - 6, at + 4, "end", Axis.label(y));
        }
        for (double x : horizontal.ticks()) {
            double at = placeX(horizontal, x);
            out.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"black\"/>%n",
                    at,
                    HEIGHT - BOTTOM,
                    at,
                    HEIGHT - BOTTOM + 4));
            text(out, at, HEIGHT - BOTTOM + 18, "middle", Axis.label(x));
        }
        out.append(String.format(
                Locale.ROOT,
                "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"black\"/>%n",
                LEFT,
                TOP,
                HEIGHT - BOTTOM,
                WIDTH - RIGHT));
    }

    private static void line(StringBuilder out, Line line, String colour, Axis horizontal, Axis vertical) {
        List<String> places = new ArrayList<>();
        for (Point point : line.points()) {
            String x = String.format(Locale.ROOT, "%.1f", placeX(horizontal, point.x()));
            String y = String.format(Locale.ROOT, "%.1f", placeY(vertical, point.y()));
            places.add(x + "," + y);
            if (line.points().size() <= MAX_DOTS) {
                out.append("<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"3\" fill=\"" + colour + "\"/>\n");
            }
        }
        out.append("<polyline points=\"" + String.join(" ", places) + "\" fill=\"none\" stroke=\"" + colour
                + "\" stroke-width=\"1.5\"/>\n");
    }

    /** Above the chart, where no line can run through it. */
    private static void legend(StringBuilder out, Line line, String colour, int index) {
        int x = LEFT + index * LEGEND_STEP;
        out.append(String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"16\" height=\"4\" fill=\"%s\"/>%n",
                x,
                LEGEND_BASELINE - 6,
                colour));
        text(out, x + 22, LEGEND_BASELINE, "start", line.name());
    }

    private static double placeX(Axis axis, double x) {
        return LEFT + axis.place(x) * (WIDTH - LEFT - RIGHT);
    }

    private static double placeY(Axis axis, double y) {
        return HEIGHT - BOTTOM - axis.place(y) * (HEIGHT - TOP - BOTTOM);
    }

    private static void text(StringBuilder out, double x, double y, String anchor, String text) {
        out.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
                x,
                y,
                anchor,
                escaped(text)));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
